# Sockets and SMT siblings: rows by them, and a session from before they were noted down is still of
# the same machine
m1top stat --backend sim:seed=7,clock=virtual,cores=8,smt=2,sockets=2 -e cycles -n 2 -o new.csv 2>/dev/null
sed 's/ socket=[0-9]*//; s/ thread0=[0-9]*//' new.csv >old.csv
for by in socket physical-core; do
	m1top report --by $by new.csv | grep '^[EP]'
done
m1top report --by socket old.csv | grep '^[EP]'
m1top report --by core old.csv new.csv | grep -e '^[EP]' -e 'same machine'
