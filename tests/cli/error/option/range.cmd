m1top stat -d 0
