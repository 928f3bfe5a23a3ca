# limits of a file where there is none
sim='--backend sim:seed=7,clock=virtual,cores=2 -n 1 -e cycles'
m1top stat $sim --log-limit 100k
m1top stat $sim --log-limit 100k -o -
m1top stat $sim --log-limit 100x -o run.csv
ls
