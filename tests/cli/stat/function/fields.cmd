# The same in perf's forms
m1top stat --backend sim:seed=7,clock=virtual,cores=2 --by function -e INST_ALL -n 2 -x, --summary
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8 --by function -e INST_ALL -n 1 -j --top 2
# A counter that shares its place in time: estimated, and said to be
m1top stat --backend sim:seed=7,clock=virtual,cores=2,functions=3 --by function -e CORE_ACTIVE_CYCLE,INST_BRANCH,INST_BRANCH_CALL,INST_BRANCH_RET,INST_BRANCH_COND,INST_BRANCH_TAKEN,INST_BARRIER -n 1 -x,
