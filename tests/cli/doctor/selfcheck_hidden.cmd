m1top doctor --selfcheck --backend sim:hidden,clock=virtual,cores=4
