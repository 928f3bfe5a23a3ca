m1top stat --demo -n 1 --by device
