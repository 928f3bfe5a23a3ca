for n in 3 5; do
	m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles -I 100 -n $n -o a.csv --append 2>/dev/null
done
m1top report --by type a.csv
m1top report --by type --part 2 a.csv
m1top report --part 3 a.csv
