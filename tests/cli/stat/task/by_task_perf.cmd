sim='--backend sim:seed=7,clock=virtual,tasks=20 --top 1 -e instructions'
m1top stat $sim --by task -n 2 --summary -x,
m1top stat $sim --by process -n 1 -x';'
m1top stat $sim --by command -n 1 --metric-only -M IPC -x,
m1top stat $sim --by task -n 1 -j
m1top stat $sim --by command --timeout 1000 -j
