m1top stat --backend sim:seed=7,clock=virtual -n 3 --format csv
