# what perf stat has and stat refuses, and why
for words in "-p x" "-t 3,x" "-p 1 -a" "-p 1 --by core" "--per-thread" "-r 3" "--repeat=3" "--per-die" "--no-merge" "-G x" "--timeout 5" "-D x" "-D -1" "--control pipe:x" "--log-fd 0" "--log-fd 77" "--log-fd 1 -o x" "--no-csv-summary"; do
	m1top stat --demo -n 1 $words
	echo "$?"
done 2>&1 | grep -v -e "SIMULATED" -e "lists the options"
