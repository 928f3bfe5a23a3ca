m1top stat --backend simm -n 1
