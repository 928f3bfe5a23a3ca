m1top stat --backend sim:seed=7,clock=virtual -n 1 --by type -P xscale-dcache -e MMU_TABLE_WALK_DATA -M l1d_miss_ratio,IPC
