# the same event of two devices beside those of cores; a figure below 0.1 keeps two digits
m1top stat --backend sim:smmu=2,seed=7,clock=virtual -n 1 --by type -e cycles,smmuv3_pmcg/transaction/
for format in table perf; do
	m1top stat --backend sim:seed=7,clock=virtual -n 1 --by type -M xscale_itlb_miss_ratio,CPI,l2_tlb_inst_mpki,walk_inst_pki --format $format
done
m1top stat --backend sim:seed=7,clock=virtual -n 1 --by type -M IPC -M "b = 2*a, a=CPI" -M c=0
