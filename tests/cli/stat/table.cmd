m1top stat --backend sim:seed=7,clock=virtual -n 3 -e cycles,instructions,INST_BRANCH,BRANCH_MISPRED_NONSPEC,L1D_CACHE_MISS_LD
