# eight events on four devices at once: each counts what it counts alone, in a session, too
sim='--backend sim:seed=5,clock=virtual,smmu=4 -n 1'
m1top stat $sim -M SMMU 2>/dev/null
for event in cycles transaction tlb_miss config_cache_miss trans_table_walk_access \
	config_struct_access pcie_ats_trans_rq pcie_ats_trans_passed; do
	m1top stat $sim -C 0 -e smmuv3_pmcg/$event/ --format csv 2>/dev/null | grep '^1,.*smmu' |
		cut -d, -f5,8-
done | sort >one
m1top stat $sim -C 0 -e smmuv3_pmcg/cycles/,smmuv3_pmcg/transaction/,smmuv3_pmcg/tlb_miss/ \
	-e smmuv3_pmcg/config_cache_miss/,smmuv3_pmcg/trans_table_walk_access/ \
	-e smmuv3_pmcg/config_struct_access/,smmuv3_pmcg/pcie_ats_trans_rq/ \
	-e smmuv3_pmcg/pcie_ats_trans_passed/ --format csv >a.csv 2>/dev/null
grep '^1,.*smmu' a.csv | cut -d, -f5,8- | sort >many
wc -l <many
cmp one many
m1top replay --to-stat --format csv a.csv | cmp - a.csv
m1top replay --to-stat a.csv
