# IPC is that of the totals, which are of all mux groups, in report as in stat's summary
m1top stat --backend sim:seed=7,clock=virtual -n 3 -P branch,l1d -o a.csv 2>said
m1top report -M IPC a.csv | tr -d '~' | awk '
	/CORE_ACTIVE_CYCLE/ { cycles = $2 }
	/INST_ALL/ { instructions = $2 }
	/IPC/ { printf "IPC %s, of the totals %.3f\n", $2, instructions / cycles }' | head -n 3
m1top replay --to-stat --summary -M IPC --by type -j a.csv | grep -v interval |
	sed -n 's/.*"metric-value" : \([0-9.]*\).*"IPC".*/summary \1/p'
