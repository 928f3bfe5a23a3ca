# what belongs to no task
sim='--backend sim:clock=virtual,tasks=20 -p 1000 -n 1'
m1top stat $sim -e active-time; echo "exit $?"
m1top stat $sim --by core; echo "exit $?"
m1top stat $sim -C 0; echo "exit $?"
m1top stat $sim -p x; echo "exit $?"
m1top stat --backend sim:smmu=1,clock=virtual,tasks=20 -p 1000 -n 1 -e smmuv3_pmcg/transaction/; echo "exit $?"
m1top stat --backend sim:clock=virtual,tasks=20 -p 1000,77 -n 1; echo "exit $?"
