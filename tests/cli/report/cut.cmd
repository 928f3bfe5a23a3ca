m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles -I 100 -n 9 -o a.csv 2>/dev/null
head -c -20 a.csv >b.csv
m1top report b.csv
{ cat a.csv; echo '# mark 0.9 "there"'; echo '10,x'; } >c.csv
m1top report --by type c.csv
