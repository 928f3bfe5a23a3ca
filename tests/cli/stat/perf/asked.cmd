# perf's forms have the events that were asked for, and not cycles and instructions beside them; what
# perf says behind a count is worked out with them all the same
for asked in '-x, -e INST_BRANCH' '-x, -e r01,cpu-cycles' '-j -e instructions' '-x, -M branch_mpki' \
	'-x, -e INST_BRANCH -M IPC'; do
	echo "== $asked"
	# shellcheck disable=SC2086
	m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 4 $asked 2>/dev/null
done
echo "== what nobody asked for is the set of the machine"
m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 4 -x, 2>/dev/null | wc -l
echo "== in the session they are there, and other metrics can be had of it"
m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 4 -e INST_BRANCH -o run.csv 2>/dev/null
grep -e '^# asked' -e ,INST_ALL, run.csv
m1top replay --to-stat -x, run.csv
m1top replay --to-stat -x, -M CPI run.csv
