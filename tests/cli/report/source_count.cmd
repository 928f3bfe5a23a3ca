# source_count() is of devices, in the session as in its intervals, also where each is on two sockets
m1top stat --backend sim:seed=7,clock=virtual,smmu=2 -e smmuv3_pmcg/transaction/ -n 2 -o one.csv 2>/dev/null
awk -F, -v OFS=, '{ print } /^[0-9].*smmuv3/ { $3 = 1; print }' one.csv >two.csv
for session in one.csv two.csv; do
	m1top report --by type -M 'n=source_count(smmuv3_pmcg@transaction@)' $session | grep -A 1 '^  metric'
done
