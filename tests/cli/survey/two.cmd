# a session is kept with -o; report --survey says the same of it, and of two what changed beyond error
for seed in 7 8; do
	m1top survey --backend sim:seed=$seed,clock=virtual -t 20 -P l1d,dtlb -o $seed.csv 2>/dev/null | sed 1d >$seed.page
	m1top report --survey $seed.csv | sed 1d | cmp - $seed.page
done
m1top report --survey 7.csv 8.csv
m1top report --survey 7.csv 7.csv | grep changed
