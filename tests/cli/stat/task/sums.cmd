# the lines of a type are its cores' count, to the unit: all of them, the first three, by process, of a total, and with lost records
sum() { awk -F, -v at="$1" '{ n[$(at)] += $(at + 1) } END { for (type in n) printf "%s %d\n", type, n[type] }' | sort; }
for more in "" ",records=16" ",short=5000"; do
	sim="--backend sim:seed=7,clock=virtual,tasks=20$more -e BRANCH_MISPRED_NONSPEC -x,"
	m1top stat $sim -n 5 --by type | awk -F, '{ n[$2] += $4 } END { for (type in n) printf "%s %d\n", type, n[type] }' | sort >truth
	cat truth
	for by in task "task --top 3" process "process --top 1" command "command --top 2"; do
		m1top stat $sim -n 5 --by $by | sum 3 | cmp - truth && echo "by $by: the same"
		m1top stat $sim --timeout 5000 --by $by | sum 2 | cmp - truth && echo "by $by, in one: the same"
	done
done 2>/dev/null
