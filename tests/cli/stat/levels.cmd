m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 4 --format csv --user -e cycles,instructions:k
