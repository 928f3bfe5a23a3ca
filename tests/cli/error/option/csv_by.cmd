m1top stat --backend sim:seed=7,clock=virtual -n 1 --format csv --by type
