# The code that an event happened in, by the functions of the simulation: 50, 30, 15, 4 and 1 % of each program
m1top stat --backend sim:seed=7,clock=virtual,cores=2 --by function -e INST_ALL -n 2
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=12,functions=3 --by function -n 2 --top 4 --summary
m1top stat --backend sim:seed=7,clock=virtual,cores=2 --by function -e cycles,INST_BRANCH -n 1 --ascii --top 2
