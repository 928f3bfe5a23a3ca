# Callers of functions, which add up to them: of ten samples the simulation has six of compress_file, three of restore_file, which calls
# itself, and one without callers; in JSON nested; refused where a line cannot hold them
sim=sim:seed=7,clock=virtual,cores=2
m1top stat --backend $sim --by function -g -e INST_ALL -n 1
m1top stat --backend $sim --by function -g -e INST_ALL -n 2 --top 1 --summary --ascii
m1top stat --backend $sim --by function --call-graph -e INST_ALL -n 1 -j --top 1
m1top stat --backend $sim --by function -g -e INST_ALL -n 1 --format folded
m1top stat --backend $sim --by function -g -n 1 -x,
m1top stat --backend $sim --by function -g -n 1 --format csv
m1top stat --backend $sim -g -n 1
