# A session knows its sockets and SMT siblings; one of before they were told has neither.
m1top stat --backend sim:seed=7,clock=virtual,cores=16,smt=2,sockets=2 -n 3 -e cycles,instructions -o run.csv 2>/dev/null
sed 's/ socket=[0-9]*//; s/ thread0=[0-9]*//' run.csv >old.csv
for by in physical-core socket core; do
	m1top stat --backend sim:seed=7,clock=virtual,cores=16,smt=2,sockets=2 -n 3 -e cycles,instructions --by $by -x, >live 2>/dev/null
	m1top replay --to-stat --by $by -x, run.csv 2>/dev/null | cmp live - && echo "same by $by"
done
m1top replay --to-stat --format csv run.csv | cmp run.csv -
m1top replay --to-stat --by socket --metric-only old.csv
m1top replay --to-stat --by physical-core --metric-only old.csv | sed -n 4,6p
m1top report --ascii --by socket -M IPC run.csv
m1top report --json --by physical-core -M IPC run.csv | tr '{' '\n' | grep -o '"by":"[a-z-]*","name":"[^"]*"'
sed 's/ thread0=0$/ thread0=many/' run.csv >bad.csv
m1top replay --to-stat bad.csv
