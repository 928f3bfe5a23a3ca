m1top stat --backend sim:smmu=2,clock=virtual -n 1 -x, -M smmu_tlb_miss_ratio -e smmuv3_pmcg_2b440/cycles/
