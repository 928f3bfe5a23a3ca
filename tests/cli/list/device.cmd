m1top list events smmu --backend sim:smmu=1
