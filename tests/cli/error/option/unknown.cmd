m1top stat --intervall 3
