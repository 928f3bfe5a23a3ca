# a session has the names of containers: tables show them wherever it is read, and a session made of it has them again
sim='--backend sim:seed=7,clock=virtual,tasks=40,short=300,cgroups=8'
m1top stat $sim --by task -n 1 -e cycles -o f.csv
sed -i 's/ cgroup=[^ ]*docker-3[^ ]*/& container="web \x1b1"/' f.csv
m1top replay --to-stat --by cgroup f.csv | grep 'docker\|web'
m1top replay --to-stat --by cgroup -x, f.csv | grep docker
m1top replay --to-stat --by task --format csv f.csv | grep -o 'cgroup=[^ ]* container=.*' | sort | uniq -c | sed 's/^ *//'
