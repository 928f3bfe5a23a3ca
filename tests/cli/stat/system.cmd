m1top stat --backend sim:seed=7,clock=virtual -n 25 -I 100 --by system -e cycles,instructions
