#!/bin/sh
# the same metric from the same file of Linux's: m1top's value is perf's, of the same CPU under the same load
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
cpu=1

# Both by half seconds, the last one of which may be short.
by_perf() {
	perf stat -C $cpu -M ipc -I 500 -j -o /tmp/perf sleep 4.2
}

by_m1top() {
	m1top stat --events-dir /vm/linux-events -C $cpu -M ipc -I 500 -n 8 --budget 100 --format csv \
		>/tmp/csv 2>/tmp/err
}

perfs_values() {
	sed -n 's/.*"metric-value" : "\([^"]*\)", "metric-unit" : "per cycle  ipc".*/\1/p' /tmp/perf
}

m1tops_values() {
	awk -F, -v cpu=$cpu '$3 == cpu && $5 == "metric" && $8 == "ipc" && $12 == "ok" { print $9 }' /tmp/csv
}

# In millionths. Not the mean: what the other tool does at its start and end is counted too. Of eight
# half seconds three may be so.
median() {
	sort -n | awk '{ value[NR] = $1 } END { printf "%d", value[int((NR + 1) / 2)] * 1000000 }'
}

near() { # name, found, wanted, percent
	within "$1" "$2" $(($3 * (100 - $4) / 100)) $(($3 * (100 + $4) / 100))
}

# The machine executes an instruction in 4 ns, and a cycle is a nanosecond. Its instructions are those of all cores.
compare() { # load, busy ms, period ms
	duty $cpu "$2" "$3" &
	load=$!
	by_perf
	by_m1top
	near "$1: perf says what the machine does, in millionths" "$(perfs_values | median)" $((250000 * $2 / $3)) 5
	near "$1: one after the other, m1top says what perf says" "$(m1tops_values | median)" "$(perfs_values | median)" 2
	by_perf &
	perf=$!
	by_m1top
	wait $perf
	near "$1: at the same time, m1top says what perf says" "$(m1tops_values | median)" "$(perfs_values | median)" 2
	kill $load
}

if ! command -v perf >/dev/null; then
	skip "m1top says what perf says" "perf could not be built: no source of Linux 6.12"
	finish
fi
compare "busy" 20 20
compare "busy for 7 of 20 ms" 7 20
is "no message" "$(cat /tmp/err)" ""
finish
