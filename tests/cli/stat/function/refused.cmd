# What cannot be sampled, and where
sim=sim:seed=7,clock=virtual,cores=2
m1top stat --backend $sim --by function -e active-time -n 1
m1top stat --backend $sim,smmu=1 --by function -e smmuv3_pmcg/event=1/ -n 1
m1top stat --backend $sim,smmu=1 --by function -e active-time,INST_BRANCH -n 1 --top 1
m1top stat --backend $sim --by function -n 1 --format csv --top 3
m1top stat --backend $sim --by function -n 1 --metric-only
m1top report --by function x.csv
m1top stat --backend $sim --by functions -n 1
