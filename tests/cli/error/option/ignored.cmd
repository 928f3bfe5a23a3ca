# An option that a verb would ignore, as another one is there or is not, is refused; of two --by of tasks the last one counts.
m1top stat --demo -n 1 -d .1 -o run.csv 2>/dev/null
m1top stat --demo -n 1 --world-readable
m1top stat --demo -n 1 --by function -M IPC
m1top serve --demo -n 1 --world-readable
m1top report run.csv --world-readable
m1top report run.csv --survey --by core
for option in '-o x.csv' '--log-fd 1' '--format csv' '-x,' -j --summary --metric-only; do
	m1top replay run.csv $option 2>&1 | head -n 1
done
for option in '--speed 2' '--history 1M' '--baseline run.csv' '--config /dev/null' '--theme monochrome'; do
	m1top replay --to-stat run.csv $option 2>&1 | head -n 1
done
for option in '-C 0' '-o x.json' '--ids 0' '--quick' '--masks' '--seed 2'; do
	m1top discover --list-kernels $option 2>&1 | head -n 1
done
m1top stat --backend sim:seed=1,clock=virtual,tasks=8 -C 0 -n 1 -d .1 -e cycles --by function --by command 2>/dev/null
