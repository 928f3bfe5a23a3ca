# What stands between the slashes: twice the same, two names, what does not fit.
for terms in transaction,stream=1,stream=2 event=1,event=2 transaction,tlb_miss transaction,event=2 \
	stream=1,transaction,filter_span=1 event=0x10000 transaction,filter_enable=2; do
	m1top stat --backend sim:smmu=1,clock=virtual -n 1 -e "smmuv3_pmcg/$terms/"
	echo "$terms: $?"
done
m1top stat --backend sim:clock=virtual -n 1 -e r100
m1top stat --backend sim:smmu=1 -n 1 -e smmuv3_pmcg/,,/
