# the page of each type, at most 80 columns wide
m1top survey --backend sim:seed=7,clock=virtual -t 20 -e INST_BRANCH,BRANCH_MISPRED_NONSPEC,MAP_STALL,L1D_CACHE_MISS_LD -M TopdownL1,IPC,CPI >page
cat page
grep -c '.\{81\}' page
m1top survey --ascii --backend sim:seed=7,clock=virtual -t 20 -C 4 -e INST_BRANCH 2>/dev/null | sed -n '/event/,$p'
