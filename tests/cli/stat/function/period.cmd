# A sample each N events, by -c or by perf's terms of the sampled event; what cannot be
sim=sim:seed=7,clock=virtual,cores=2,functions=3
m1top stat --backend $sim --by function -e INST_ALL -c 1000000 -n 1 -d 0.2 --top 1
m1top stat --backend $sim --by function -e INST_ALL/period=2000000/,cycles -n 1 -d 0.2 --top 1
m1top stat --backend $sim --by function -e INST_ALL/freq=100/,INST_BRANCH/period=9/ -n 2 -d 0.2 --top 1
m1top stat --backend $sim --by function -e INST_ALL/period=0/ -n 1
m1top stat --backend $sim --by function -e INST_ALL/freq=100001/ -n 1
m1top stat --backend $sim --by function -c 0 -n 1
m1top stat --backend $sim --by function -c 5 -F 5 -n 1
m1top stat --backend $sim -c 5 -n 1
