# one line a row, of metrics alone
for form in table perf json; do
	m1top stat --backend sim:seed=7,clock=virtual -n 2 --by type -M IPC,branch_mpki --metric-only --format $form
done
m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 0 -x, --metric-only
m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 0 -x, --metric-only --per-core -M CPI
m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 0 --metric-only --format csv
