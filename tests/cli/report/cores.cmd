m1top stat --backend sim:seed=7,clock=virtual,cores=4,steal=1.5@1-2 -e cycles,instructions,INST_BRANCH -I 100 -n 20 -o a.csv 2>/dev/null
m1top report --ascii -M IPC,stall_share,mine=1000*INST_BRANCH/INST_ALL,none=INST_SIMD_ALU/INST_ALL a.csv
