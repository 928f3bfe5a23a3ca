# the exit status is that of diff
for seed in 3 4; do
	m1top discover --backend sim:seed=$seed,hidden --ids 0x40-0x4f --kernels load,nop -o $seed.json >out || cat out
	cp $seed.json again$seed.json
done
compare()
{
	m1top discover compare "$@" >out
	echo "exit $?"
	sed 's/^\([AB]: .*\), .*, .*/\1/; s/"kernel": "[^"]*", "date": "[^"]*"/"kernel": "K", "date": "D"/' out
}
compare 3.json again3.json
compare 3.json 4.json
compare -j 3.json again3.json
compare 3.json 4.json -j -o d.json
compare 3.json 4.json -o d.json
compare 3.json 4.json -o d.json --force
compare 3.json
compare 3.json none.json
compare 3.json 4.json --ids 3
compare 3.json 4.json --backend sim
tail -n 1 d.json
m1top discover compare 3.json 4.json -j | grep -A1 differences
m1top discover contrast 3.json 4.json
