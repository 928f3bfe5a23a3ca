# whose it was: cgroups below commands and processes; a session without them has none
sim='--backend sim:seed=7,clock=virtual,tasks=40,short=300,cgroups=8'
m1top stat $sim --by task -n 3 -e cycles -o f.csv
m1top report f.csv | sed -n '/who had/,$p'
m1top report -j f.csv | grep -o '"cgroup":"[^"]*"' | sort -u
