# a session that is played and written again is the same file, plain and compressed
m1top stat --backend sim:seed=5,clock=virtual,offline=0@1-2+2@1-3,steal=6.3@0.5-2 -n 30 -I 100 \
	-o a.csv 2>said && m1top replay --to-stat --format csv a.csv >b.csv && cmp a.csv b.csv &&
	grep -c '^# off' a.csv
mux='-M branch_miss_ratio,l1d_miss_ratio'
for file in t.csv t.csv.zst; do
	m1top stat --backend sim:seed=6,clock=virtual -n 8 -I 100 $mux -o $file 2>said
done
m1top replay --to-stat $mux -o u.csv t.csv.zst && cmp t.csv u.csv && grep -c turn=1 u.csv
