m1top stat --backend sim:seed=7,clock=virtual -n 1 -j --by type -e cycles,instructions -M IPC,CPI
