# Two sockets with four NUMA nodes each and last-level caches of their own number: rows by node and cache, cores by name
machine="--backend sim:seed=7,clock=virtual,cores=128,sockets=2,nodes=8,llcs=16 -n 1 -e cycles,instructions"
# shellcheck disable=SC2086
{
	m1top stat $machine --by node
	m1top stat $machine --by llc -C node0,P,llc15
	m1top stat $machine --per-node -x, -C node0,node7
	m1top stat $machine --per-cache -j -C 'E llc 3'
	m1top stat $machine --per-node -x, --metric-only -M IPC -C socket1
	m1top stat $machine --per-socket -C node7,0
	m1top stat $machine --format csv -C 'node 1' | grep '^# cpu'
	m1top stat $machine -C node0,node8
}
# on a machine of one node it is legal, too
m1top stat --backend sim:seed=7,clock=virtual -n 1 -e cycles --by node
