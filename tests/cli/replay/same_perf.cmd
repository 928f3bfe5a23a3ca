# the same of real counters: every sample, whatever they were
m1top stat --backend perf -e cpu-clock,context-switches -I 20 -n 20 -o a.csv 2>said || return 77
m1top replay --to-stat --format csv a.csv >b.csv && cmp a.csv b.csv && grep -vc '^#' b.csv |
	awk '{ print ($1 > 20 ? "many samples" : "few samples") }'
