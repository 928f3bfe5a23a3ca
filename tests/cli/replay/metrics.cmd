# Worked out again: what stat says and what a session says that has the same counts.
for metrics in Branch Frontend,Utilisation SMMU,IPC 'x=INST_BRANCH:u/INST_ALL:k' \
	'x=(INST_LDST+RETIRE_UOP)/CORE_ACTIVE_CYCLE' 'IPC -e smmuv3_pmcg/transaction,stream=0x40/'; do
	machine="--backend sim:clock=virtual,smmu=2 --split -C 0,4 -n 2"
	# shellcheck disable=SC2086
	m1top stat $machine -M $metrics --format csv >run.csv 2>/dev/null
	# shellcheck disable=SC2086
	m1top stat $machine -M $metrics -j --by core >counted 2>/dev/null
	m1top replay --to-stat -M "${metrics%% *}" -j run.csv >replayed
	[ -s counted ] && cmp counted replayed && echo "$metrics"
done
