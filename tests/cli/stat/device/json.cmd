m1top stat --backend sim:smmu=2,clock=virtual -n 1 -j -M smmu_ats_share
