# Of -p and -t: these processes and threads alone, by task and by function; their rows are those of all tasks
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8 --by task -e INST_ALL -n 1 -x,
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8 --by task -e INST_ALL -n 1 -x, -p 1004,1000
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8 --by command -e INST_ALL -n 1 -x, -t 100132
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8,records=32 --by process -e INST_ALL -n 1 -p 1000
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8,functions=3 --by function -e INST_ALL -n 1 -p 1000
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8,functions=3 --by process -e INST_ALL -n 1 -p 1000 --cgroup /system.slice
