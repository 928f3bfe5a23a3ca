sim='--backend sim:seed=7,clock=virtual,tasks=20 -n 1 -e cycles,instructions'
m1top stat $sim -I 300 -p 1000 -x,
m1top stat $sim -I 50 -p 1000 -x,
m1top stat $sim -I 300 -t 1000,1001 -j
