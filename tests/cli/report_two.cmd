for seed in 7 8; do
	m1top stat --backend sim:seed=$seed,clock=virtual -I 100 -n 30 -o $seed.csv 2>/dev/null
done
m1top report --by cluster -M IPC,CPI 7.csv 8.csv
