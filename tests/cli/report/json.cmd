m1top stat --backend sim:seed=7,clock=virtual,offline=1@1-2 -I 100 -n 30 -o a.csv 2>/dev/null
m1top report -j --by type -M IPC a.csv |
	sed 's/"title":"[^"]*"/"title":"HOST"/; s/"host":"[^"]*","kernel":"[^"]*"/"host":"HOST","kernel":"KERNEL"/'
