m1top stat --backend sim:smmu=2,clock=virtual -n 1 -C 4 -e smmuv3_pmcg/transaction/; m1top stat --backend sim:smmu=2,clock=virtual -n 1 -C 4 -M smmu_tlb_miss_ratio
