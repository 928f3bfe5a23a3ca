sim='--backend sim:seed=7,clock=virtual,cores=2 -n 1 -e cycles'
m1top stat $sim -o f.csv; cat f.csv
echo "== again"; m1top stat $sim -o f.csv
echo "== append"; m1top stat $sim -o f.csv --append; grep -c '^tick,' f.csv; grep -c '^1,' f.csv
echo "== force"; m1top stat $sim -o f.csv --force --format perf; cat f.csv
echo "== link"; ln -s f.csv link; m1top stat $sim -o link --force
