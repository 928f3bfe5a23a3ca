#!/bin/sh
# what a tick costs through the module and from EL0, for the report: emulated registers trap, so only the ratio says something
. /vm/lib.sh

# CPU time of m1top in microseconds a tick, by the kernel's account.
cost() { # backend
	m1top stat --backend "$1" -I 10 -n 300 --budget 10000 -o /dev/null --force >/dev/null 2>&1 &
	pid=$!
	sleep 2
	at=$(cut -d' ' -f14,15 /proc/$pid/stat | tr ' ' + )
	kill -INT $pid
	wait $pid
	echo $((($at) * 10000 / 200))
}

module=$(cost apple)
el0=$(cost apple:el0)
ok "module path: $module microseconds of CPU time a tick of eight cores, EL0 path: $el0"
finish
