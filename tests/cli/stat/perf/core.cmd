m1top stat --backend sim:seed=7,clock=virtual -n 2 -x, -e cycles,instructions,context-switches
