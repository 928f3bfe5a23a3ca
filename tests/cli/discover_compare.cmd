for seed in 3 4; do
	m1top discover --backend sim:seed=$seed,hidden --ids 0x40-0x4f --kernels load,nop -o $seed.json >out || cat out
	cp $seed.json again$seed.json
done
m1top discover compare 3.json again3.json | sed 's/^\([AB]: .*\), .*, .*/\1/'
m1top discover compare 3.json 4.json | sed 's/^\([AB]: .*\), .*, .*/\1/'
m1top discover compare 3.json
m1top discover compare 3.json none.json
m1top discover contrast 3.json 4.json
