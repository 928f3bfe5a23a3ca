m1top stat --backend sim:seed=7,clock=virtual,offline=1@1-2 -I 100 -n 30 -o a.csv 2>/dev/null
m1top report --by type -M branch_mpki,l1d_mpki,stall_share a.csv
