m1top stat --backend sim:seed=7,clock=virtual -n 2 --by type -M branch_miss_ratio,l1d_miss_ratio
