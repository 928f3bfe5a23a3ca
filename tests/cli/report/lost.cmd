# a task that ran only before records were lost may have part of what is [unattributed], too
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8,records=32 --by task -n 2 -I 100 -e cycles -o a.csv
awk -F, -v OFS=, '/^1,/ && $7 == -1 { if (!n++) print "# task 0.000000000 4242 process=4242 name=other"; $7 = 4242 }
	/^1,/ { sub("partial", "ok", $12) } /^2,/ && $7 == -1 && !m++ { print "# task 0.000000000 -1 name=[unattributed]" }
	/^2,/ && $7 == 1000 { $7 = 4242 } { print }' a.csv >lost.csv
m1top report -j lost.csv | grep -o '"command":"[^"]*","pid":1000,[^}]*"quality":"[a-z]*"'
