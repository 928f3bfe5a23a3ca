m1top stat --backend sim:seed=7,clock=virtual -n 2 --by type -M branch_miss_rate,l1d_miss_ratio
