# The same in perf's forms
m1top stat --backend sim:seed=7,clock=virtual,cores=2 --by function -e INST_ALL -n 2 -x, --summary
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8 --by function -e INST_ALL -n 1 -j --top 2
