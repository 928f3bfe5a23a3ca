#!/bin/sh
# half of the CPUs off and on while they are counted
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
# shellcheck source=tests/vm/guest/many/ticks.sh
. /vm/many/ticks.sh
half=$((SERVER / 2))
rm -f /tmp/csv

turn() { # 0 or 1
	for cpu in $(seq $half $((SERVER - 1))); do
		echo "$1" >/sys/devices/system/cpu/cpu"$cpu"/online
	done
}

m1top stat -I 200 --budget 100 -e context-switches,cpu-clock,page-faults,active-time --format csv -o /tmp/csv 2>/tmp/err &
pid=$!
await is_past 5
turn 0
await is_past $(($(last_tick) + 5))
turn 1
await is_past $(($(last_tick) + 8))
sleep 2 # until what waited has been written: its page faults are not known
since=$(last_tick)
/vm/many/known >/dev/null
sleep 1
stop $pid
grep -c 'online again' /tmp/err | sed 's/^/# messages that some are back: /'
is "those that stay have every tick" "$(disorder /tmp/csv $half)" ""
awk -F, '$8 == "context-switches" && $12 == "ok" { n[$1]++; last = $1 }
	END { for (tick = 1; tick <= last; tick++) print n[tick] + 0 }' /tmp/csv >/tmp/cpus
# In a tick one may be late (ticks.sh).
is "before, all are there" "$(head -n 4 /tmp/cpus | sort -n | tail -n 1)" "$SERVER"
is "then half" "$(grep -x -m 1 $half /tmp/cpus)" $half
is "and all again" "$(tail -n 5 /tmp/cpus | sort -n | tail -n 1)" "$SERVER"
is "whose counts are right" "$(unknown_faults /tmp/csv "$since")" ""
finish
