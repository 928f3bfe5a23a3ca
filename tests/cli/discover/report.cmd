sim="--backend sim:seed=3,hidden"
# shellcheck disable=SC2086
{
	m1top discover $sim --ids 0x40-0x4f --kernels load -o r.json | sed 's/ in [0-9.]* s/ in N s/'
	sed -n '/options/,/rejected/p; /tried"/,/]/p' r.json | grep -v seconds
	m1top discover $sim --ids 0x50-0x5f --kernels store --resume r.json | tail -n 2 | sed 's/ in [0-9.]* s/ in N s/'
	sed -n '/"tried"/,/]/p' r.json
	m1top discover $sim --ids 0x40 --kernels load -o r.json
	m1top discover --backend sim:seed=4,hidden --resume r.json
	m1top discover $sim --ids 0x40-0x4f --kernels load -o r.json --force --quick | tail -n 1 | sed 's/ in [0-9.]* s/ in N s/'
	sed -i 's/"slope": /"slope": "/' r.json
	m1top discover $sim --resume r.json
	ls
}
