# what a report says first: of one session, in text and JSON, and of two; gaps for one reason are one line
for seed in 7 9; do
	m1top stat --backend sim:seed=$seed,clock=virtual,functions=5,tasks=8 -M TopdownL1,IPC -I 100 -n 30 --by function -o $seed.csv 2>/dev/null
done
printf '# gap 3.0 2 frames (log too slow)\n# gap 3.1 1 frames (log too slow)\n# gap 3.2 4 frames (output too slow)\n' >>7.csv
m1top report --by type 7.csv | sed '/^$/,$d'
m1top report --by type 7.csv | sed -n '/what happened/,/^$/p'
m1top report -j --by type 7.csv | grep -o '"finding":.*,"remarks"'
m1top report --by type 7.csv 9.csv | sed '/^first/,$d'
m1top report --by type 7.csv 7.csv | sed '/^first/,$d'
sed '/^# gap/,$d; /^2,/,$d' 7.csv >one.csv
m1top report --by type one.csv 9.csv | sed '/^first/,$d'
# commands have a verdict
m1top report --by type 7.csv 9.csv | sed -n '/^P  who/,/^$/p'
# when IPC had a lasting change, and the intervals that say so
m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles,instructions -I 100 -n 40 -o step.csv 2>/dev/null
m1top report step.csv | grep '^  At'
awk -F, '$4 == "P" && $8 == "CORE_ACTIVE_CYCLE" { cycles = $9 }
	$4 == "P" && $8 == "INST_ALL" { ipc = $9 / cycles
		if (last && (ipc > 1.2 * last || ipc < last / 1.2)) printf "P after %.1f s: %.3f to %.3f\n", $2 - 0.1, last, ipc
		last = ipc }' step.csv
# what a command had is at least that if records of switches were lost
m1top stat --backend sim:seed=3,clock=virtual,tasks=20,records=32 -e cycles -I 100 -n 3 --by task -o lost.csv 2>/dev/null
m1top report --by type lost.csv | sed '/^$/,$d' | head -3
