# Two sockets, two threads a core: each grouping's rows, and no row of two core types.
machine="--backend sim:seed=7,clock=virtual,cores=16,smt=2,sockets=2 -n 1 -e cycles,instructions"
# shellcheck disable=SC2086
{
	m1top stat $machine --by socket
	m1top stat $machine --by physical-core
	m1top stat $machine --per-socket -x,
	m1top stat $machine --per-core -x, -C 1,5,8
	m1top stat $machine --per-socket -j -C 1,5,12
	m1top stat $machine --per-core -j -C 1,5,12 -M IPC
	m1top stat $machine --per-socket -x, --metric-only -M IPC -C 8-15
	m1top stat $machine --format csv -C 1,2,5,8 | grep '^# cpu'
}
# on a machine of one socket it is legal, too
m1top stat --backend sim:seed=7,clock=virtual -n 1 -e cycles --by socket
