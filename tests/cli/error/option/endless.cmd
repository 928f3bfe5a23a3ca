m1top stat --backend sim:seed=7,clock=virtual
