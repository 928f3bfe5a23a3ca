for seed in 7 8; do
	m1top stat --backend sim:seed=$seed,clock=virtual -I 100 -n 30 -o $seed.csv 2>/dev/null
done
m1top report --by cluster -M IPC,CPI 7.csv 8.csv
# What one of them alone has is named, whichever comes first.
m1top stat --backend sim:seed=7,clock=virtual -e cycles -I 100 -n 3 -o few.csv 2>/dev/null
m1top report -M IPC,branch_mpki,stall_share 7.csv few.csv | sed -n '/only in/,/^$/p'
m1top report -M IPC,branch_mpki,stall_share few.csv 7.csv | sed -n '/only in/,/^$/p'
