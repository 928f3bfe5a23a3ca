# the columns of perf stat -x, -I -A -M: each line has the same number of them
m1top stat --backend sim:seed=7,clock=virtual -n 1 -x, -P branch -C 0,4 -M IPC,CPI,branch_mpki,t=duration_time >out
cat out
awk -F, '{ print NF }' out | sort | uniq -c | sed 's/^ *//'
