# a core that has just come back is not yet counted, live and replayed, in every format
sim=sim:seed=3,clock=virtual,cores=3,offline=1@2-4
m1top stat --backend $sim -n 6 -I 1000 -e cycles -o a.csv 2>said
for format in table json perf; do
	m1top stat --backend $sim -n 6 -I 1000 -e cycles --by core --format $format >live 2>said
	m1top replay --to-stat --by core --format $format a.csv 2>said | diff live - && echo $format
done
grep "cpu 1$" a.csv
m1top replay --to-stat --by core a.csv 2>said | grep cpu1
