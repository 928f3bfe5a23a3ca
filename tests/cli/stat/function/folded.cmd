# Stacks for flame graphs: the weights of a task's functions; with callers: callers.cmd
sim=sim:seed=7,clock=virtual,cores=2,functions=5
m1top stat --backend $sim --by function --format folded -e cycles -n 2
m1top stat --backend $sim --by function --format folded -e cycles -n 2 --top 3
m1top stat --backend $sim --format folded -n 1
m1top stat --backend $sim -F 100 -n 1
