# rows without a cpu; read back they print the same
sim='--backend sim:seed=7,clock=virtual,tasks=20 -I 300 -n 2 -e cycles'
m1top stat $sim -p 1000 -o f.csv; cat f.csv
m1top stat $sim -p 1000,1001 --format csv | tail -1
for form in "--format csv" -x, -j "--by type"; do
	m1top stat $sim -p 1000 $form >direct
	m1top replay --to-stat $form f.csv | cmp - direct && echo "replay $form: the same"
done
m1top replay --to-stat --by core f.csv; echo "exit $?"
