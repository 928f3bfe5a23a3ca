# NUMA nodes and last-level caches in a session, its replay and its report; a session from before they were noted down
# has no rows by them
m1top stat --backend sim:seed=7,clock=virtual,cores=64,sockets=2,nodes=4,llcs=8 -e cycles -n 2 -o new.csv 2>/dev/null
sed 's/ llc=[0-9]*//; s/ node=[0-9]*//' new.csv >old.csv
for by in node llc; do
	m1top report --by $by new.csv | grep '^[EP]'
	m1top replay --to-stat --by $by -n 1 new.csv
	m1top report --by $by old.csv
	m1top replay --to-stat --by $by old.csv
done
m1top report new.csv | grep '^[EP] [lns]'
