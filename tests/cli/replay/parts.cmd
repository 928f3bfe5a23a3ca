# A device that one CPU of each socket reads: each row has its part, in every form; the device's row has the sum
m1top stat --backend sim:seed=3,clock=virtual,sockets=2,smmu=2,cores=4 -n 1 --format csv -o one.csv -e smmuv3_pmcg/transaction/ 2>/dev/null
grep '^1,.*smmuv3' one.csv | sed 's/,0,E,/,1,E,/; s/,[0-9]*\(,1000000000,1000000000,ok\)/,100000000\1/' >more
awk '/^1,.*,1,E,.*INST_ALL/ { print; while ((getline <"more") > 0) print; next } { print }' one.csv >two.csv
for by in socket node system core cluster device; do
	m1top replay --to-stat --by $by -M x=smmuv3_pmcg@transaction@ --format table two.csv
	m1top replay --to-stat --by $by --format perf two.csv | grep smmu
	m1top replay --to-stat --by $by --format json two.csv | grep smmu | cut -d, -f2-5
done
m1top replay --to-stat --by socket -M x=smmuv3_pmcg@transaction@ one.csv
