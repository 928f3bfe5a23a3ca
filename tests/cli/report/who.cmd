# A whole session of the simulation: who had most, and the rows of each cpu's tasks sum up to the cpu's.
m1top stat --by task --backend sim:seed=7,clock=virtual,tasks=40 -P l1d -I 100 -n 20 -o a.csv 2>/dev/null
m1top report --by type a.csv | sed -n '/^E  who/,/^$/p'
awk -F, '/^[0-9]/ { if ($7 == "") core[$1,$3,$6] = $9; else { sum[$1,$3,$6] += $9; n++ } }
	END { for (k in sum) bad += sum[k] != core[k]; print length(sum), n, bad + 0 }' a.csv
m1top replay --to-stat --by task --format csv a.csv | cmp - a.csv && echo the same
m1top stat --by task --backend sim:seed=7,clock=virtual,tasks=40 -P l1d -I 100 -n 20 -o a.csv.zst 2>/dev/null
m1top report --by type a.csv.zst | grep -c 'who had most'
