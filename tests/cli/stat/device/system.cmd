m1top stat --backend sim:smmu=2,clock=virtual -n 1 --by system -M smmu_tlb_miss_ratio
