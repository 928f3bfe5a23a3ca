m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles -I 100 -n 2 -o a.csv 2>/dev/null
touch a.html
m1top report --html a.html a.csv
m1top report --html a.html --force a.csv && grep -c '<h2>a.csv' a.html
