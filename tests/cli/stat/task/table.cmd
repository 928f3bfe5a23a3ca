# a process that moves between the types of core: a line each, never added; where it never was, no figure
sim='--backend sim:seed=7,clock=virtual,tasks=20 -p 1000'
m1top stat $sim -I 500 -n 2 -e cycles,instructions,INST_BRANCH
m1top stat $sim -I 50 -n 1 -e cycles
m1top stat $sim --timeout 1000 -e cycles
