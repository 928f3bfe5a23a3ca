# Four SMMUs: a ratio is of the sums over all four, a row's of its device.
machine="--backend sim:smmu=4,clock=virtual,seed=7 -n 1 --split"
m1top stat $machine -M smmu_tlb_miss_ratio --by device
m1top stat $machine -M smmu_tlb_miss_ratio --by system 2>/dev/null
m1top stat $machine -M smmu_tlb_miss_ratio -x, 2>/dev/null
m1top stat $machine -M SMMU 2>/dev/null
