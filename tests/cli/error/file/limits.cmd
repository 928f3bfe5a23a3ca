# limits of a file where there is none
sim='--backend sim:seed=7,clock=virtual,cores=2 -n 1 -e cycles'
m1top stat $sim --log-limit 100k
m1top stat $sim --log-limit 100k -o -
m1top stat $sim --log-limit 100x -o run.csv
m1top stat $sim --max-size 100k -o -
m1top stat $sim --max-size 100k --log-limit 1M -o run.csv
m1top stat $sim --keep 3 -o run.csv
ls
