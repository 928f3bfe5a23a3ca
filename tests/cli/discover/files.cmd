# what is refused leaves no file behind; a report that cannot be written does not end the sweep
sim="--backend sim:seed=3,hidden"
echo mine >events.json
# shellcheck disable=SC2086
{
	m1top discover $sim --ids 0x95 -o r.json --emit-events events.json
	ls
	m1top discover $sim --ids 0x95 -o events.json --emit-events new.json
	ls
	(
		trap '' XFSZ
		ulimit -f 40
		m1top discover $sim -o r.json 2>err | tail -n 2 | head -n 1
		tail -n 1 err
		rm err
	)
	m1top discover $sim --kernels nop --resume r.json | tail -n 1 | sed 's/[0-9]* runs in [0-9]\{1,2\}\.[0-9] s;.*/runs/'
	m1top discover $sim --ids 0x95 -j >/dev/full
	{ m1top discover $sim; echo "$?" >status; } | head -n 1
	cat status
	ls
}
# half a file of events is none
(
	trap '' XFSZ
	ulimit -f 1
	"$M1TOP" discover --backend sim:seed=3,hidden --kernels load,store,nop --emit-events half.json >/dev/null
	echo $?
	[ -e half.json ] || echo "no file"
)
