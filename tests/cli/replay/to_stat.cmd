# What stat printed, of the session alone: rows, metrics and forms, whatever was asked for then.
same() {
	# shellcheck disable=SC2086
	m1top replay --to-stat $2 run.csv >replayed 2>&1
	# shellcheck disable=SC2086
	m1top stat --backend sim:seed=3,clock=virtual,smmu=2 -n 3 $1 $2 2>/dev/null | cmp - replayed &&
		echo "$1 | $2: $(wc -l <replayed)"
}
for asked in '-e cycles' '-P branch' '-M SMMU' '-P branch -e smmuv3_pmcg/transaction/' \
	'-e smmuv3_pmcg/transaction/ -M x=1000*INST_BRANCH/INST_ALL'; do
	# shellcheck disable=SC2086
	m1top stat --backend sim:seed=3,clock=virtual,smmu=2 -n 3 $asked --format csv >run.csv 2>/dev/null
	for form in '--by type' '--metric-only' '-x, --summary' -j '--format csv'; do
		same "$asked" "$form"
	done
done
m1top stat -n 1 -e cycles --format csv --backend sim:clock=virtual >run.csv 2>/dev/null
m1top replay --to-stat --by device run.csv
