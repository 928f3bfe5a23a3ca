# who did it: by type, most of the first event first; idle and [unattributed] are always there
sim='--backend sim:seed=7,clock=virtual,tasks=20'
m1top stat $sim --by task --top 4 -n 2 -e L1D_CACHE_MISS_LD
m1top stat $sim --by process --top 2 -n 1 -e instructions -M IPC
m1top stat $sim --by command -n 1 -e cycles -C 0,4
m1top stat ${sim},records=16 --by command --top 1 -n 1 -e cycles
