m1top stat sleep 1
