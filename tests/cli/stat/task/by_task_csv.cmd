# a session has the threads; read back it prints the same by task, process and command
sim='--backend sim:seed=7,clock=virtual,tasks=20 -n 3 -e cycles,INST_BRANCH'
m1top stat $sim --by task -o f.csv && grep -c '^[0-9].*,1000,' f.csv
for by in task "task --top 3" "process -x," "command --top 2 -j"; do
	m1top stat $sim --by $by >direct
	m1top replay --to-stat --by $by f.csv | cmp - direct && echo "replay --by $by: the same"
done
m1top stat $sim --by process --format csv; echo "exit $?"
m1top stat $sim --by task --top 3 -o g.csv; echo "exit $?"
m1top stat $sim -o h.csv; m1top replay --to-stat --by task h.csv; echo "exit $?"
m1top stat $sim --top 3; echo "exit $?"
m1top stat $sim --by task -A; echo "exit $?"
m1top --demo --by task; echo "exit $?"
