m1top stat --backend sim:seed=7,clock=virtual -e cycles -I 100 -n 10 -o a.csv 2>/dev/null
m1top stat --backend sim:seed=7,clock=virtual,cores=4 -e cycles -I 100 -n 10 -o b.csv.zst 2>/dev/null
m1top report a.csv b.csv.zst
