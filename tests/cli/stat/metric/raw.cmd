# An event by its number is the event.
for asked in x=rbf/INST_ALL x=L1D_CACHE_MISS_LD_NONSPEC/INST_ALL; do
	m1top stat --backend sim:seed=7,clock=virtual -n 1 -M "$asked" --by type 2>/dev/null
done
m1top stat --backend sim:seed=7,clock=virtual -n 1 -M x=rbf --metric-only --by type 2>/dev/null
m1top stat --backend sim:seed=7,clock=virtual -n 1 -M x=rbf/INST_ALL --format csv 2>/dev/null >run.csv
m1top report -M y=rbf/INST_ALL run.csv | grep ' y '
