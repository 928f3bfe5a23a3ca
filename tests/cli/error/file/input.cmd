# what is read is never written over, whatever it is called
m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles -I 100 -n 2 -o a.csv 2>/dev/null
cp a.csv b.csv
cp a.csv a.1.csv
cp a.csv kept
ln -s a.csv soft
m1top report --html a.csv --force a.csv
m1top report --html ./b.csv --force a.csv b.csv
m1top report --html a.csv --force soft
m1top report --html a.csv --force - <a.csv
m1top report --html a.1.csv --force --older a.csv
m1top replay --to-stat -o a.csv --force a.csv
m1top replay --to-stat -o a.csv --append a.csv
m1top replay --to-stat --format csv a.csv >>a.csv
m1top replay --to-stat --format csv --log-fd 5 a.csv 5>>a.csv
cmp a.csv kept && cmp b.csv kept && cmp a.1.csv kept && echo all there
