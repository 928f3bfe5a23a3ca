# by cgroup: the lines of a type add up to its cores; one cgroup with what is below it; what is none
sim='--backend sim:seed=7,clock=virtual,tasks=40,short=300,cgroups=8'
m1top stat $sim --by cgroup -n 1 -e cycles
m1top stat $sim --by cgroup --top 2 -n 1 -e cycles -x,
m1top stat $sim --cgroup /system.slice -n 1 -e cycles,instructions
m1top stat $sim --cgroup /user.slice --by command -n 1 -e cycles -C 4-7 -j
m1top stat $sim --cgroup /nowhere -n 1 -e cycles
for by in cgroup task; do
	m1top stat $sim --by $by -n 2 -e cycles -x, | awk -F, '{ n[$1 "," $3] += $4 } END { for (i in n) printf "%s %.0f\n", i, n[i] }'
done | sort | uniq -c | sed 's/ *$//'
m1top stat $sim --by type -n 2 -e cycles -x, | cut -d, -f 1-4
m1top stat $sim --by task -n 3 -e cycles -o f.csv && grep -c 'cgroup=/' f.csv
m1top stat $sim --by cgroup -n 3 -e cycles -x, >direct
m1top replay --to-stat --by cgroup -x, f.csv | cmp - direct && echo "replay: the same"
m1top stat $sim --cgroup system.slice; echo "exit $?"
m1top stat $sim --by cgroup --format csv; echo "exit $?"
m1top stat --backend sim:clock=virtual,tasks=20 --by cgroup -n 1; echo "exit $?"
m1top stat --backend sim:cgroups=3 -n 1; echo "exit $?"
