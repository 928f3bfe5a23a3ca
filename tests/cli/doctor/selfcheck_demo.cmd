m1top doctor --selfcheck --backend sim:clock=virtual
