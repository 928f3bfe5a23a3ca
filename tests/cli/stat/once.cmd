# an event that several mux groups count is one record in every form, with the time of all groups
four=INST_BRANCH,INST_BRANCH_CALL,INST_BRANCH_RET,INST_BRANCH_COND
sim='m1top stat --backend sim:seed=1,clock=virtual -n 1'
for by in core physical-core cluster socket type system task; do
	$sim --by $by -e cycles,$four -x, 2>/dev/null | grep CYCLE | sed 's/^ *//' | sort | tail -n 2
done
$sim -C 4 -e cycles,$four --summary -j 2>/dev/null
$sim -C 4 -e cycles,$four -M IPC,branch_mpki,BRANCH_COND_MISPRED_NONSPEC/INST_BRANCH_COND -x, 2>/dev/null
$sim -C 4 -P all -j 2>/dev/null | grep -o '"event" : "[^"]*"' | sort | uniq -d
$sim -C 4 -P all -x, --summary 2>/dev/null | cut -d, -f1,4,5 | sort | uniq -d
$sim -C 4 -P all 2>/dev/null | grep -c CORE_ACTIVE_CYCLE
