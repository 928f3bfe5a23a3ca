m1top stat --backend sim:smmu=2,clock=virtual -n 2 -e smmuv3_pmcg/transaction/,smmuv3_pmcg/tlb_miss/,smmuv3_pmcg_2b442/transaction,stream=0x40-0x43/
