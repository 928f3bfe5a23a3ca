# A metric whose events cannot make a figure together is refused, in every format.
m1top stat --backend sim:smmu=2,clock=virtual -n 1 \
	-M 'x=smmuv3_pmcg@tlb_miss\,stream\=0x40@/smmuv3_pmcg@transaction@' -j
