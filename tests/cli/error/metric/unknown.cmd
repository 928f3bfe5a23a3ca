m1top stat --backend sim:seed=7,clock=virtual -n 1 -M IPCC
