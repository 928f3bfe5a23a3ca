# A clock has one unit, wherever it is printed: here INST_ALL counts ns and is shown in msec, as task-clock is
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8 --by function -e INST_ALL -n 1 --format csv -o session 2>/dev/null
sed '/event=INST_ALL/s/unit= scale=1/unit=msec scale=1e-06/' session >clocks
for by in core system process function; do
	for format in table perf json; do
		m1top replay --to-stat --by $by --format $format clocks 2>&1 | grep -v CYCLE | head -n 3
	done
done
m1top report --by type clocks | sed -n '/INST_ALL/,$p'
m1top report --by type --json clocks | grep -o '"event":"INST_ALL","unit[^{}]*\|"function":"compress[^{}]*'
