m1top stat --backend sim:smmu=1,clock=virtual -n 1 -e smmuv3_pmcg/tlb_miss,stream=0x40-0x80/
