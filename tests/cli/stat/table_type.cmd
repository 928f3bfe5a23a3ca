m1top stat --backend sim:seed=7,clock=virtual -n 12 -I 100 --by type -M IPC,CPI,branch_mpki -P branch
