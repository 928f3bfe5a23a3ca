m1top stat --backend sim:coors=8 -n 1
