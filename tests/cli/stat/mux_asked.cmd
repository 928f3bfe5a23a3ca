# events and presets that do not fit one set are multiplexed, and a session of them is played as it was
sim='--backend sim:seed=7,clock=virtual -n 2'
m1top stat $sim --by type -e INST_BRANCH,INST_BRANCH_CALL,INST_BRANCH_RET,INST_BRANCH_COND
m1top stat $sim --by type -P overview -e INST_SIMD_ALU -x,
m1top stat $sim --by type -P branch -P l1d
m1top stat $sim -P branch,l1d --format csv >a.csv 2>said
m1top replay --to-stat --format csv a.csv >b.csv && cmp a.csv b.csv && grep '^# asked' b.csv
m1top stat $sim -P branch,l1d -j >a.json 2>said
m1top replay --to-stat -j a.csv >b.json && cmp a.json b.json
# where the empty columns of all mux groups are too many, they are left out
for event in BRANCH BRANCH_CALL BRANCH_RET BRANCH_TAKEN BRANCH_INDIR BRANCH_COND LDST SIMD_ALU INT_ALU; do
	list=$list${list:+,}PMC7=INST_$event
done
m1top stat $sim -e $list --format csv >a.csv 2>said
m1top replay --to-stat --format csv a.csv >b.csv && cmp a.csv b.csv && grep -o 'slot=[0-9]* turn=.*pmu=.*fire.*event=[A-Z_a-z]*' b.csv
