#!/bin/sh
# a core that is unplugged while m1top counts is shown off, and right again when it is back
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
online=/sys/devices/system/cpu/cpu6/online

# Rows of CPU 6: TICK CYCLES_PER_MS
rates() {
	awk -F, '$3 == 6 && $8 == "CORE_ACTIVE_CYCLE" && $12 == "ok" {
		print $1, int($9 * 1000000 / $11) }' /tmp/csv
}

m1top stat -I 500 -n 12 --budget 100 -e cycles,instructions --format csv >/tmp/csv 2>/tmp/err &
m1top=$!
m1top stat -I 500 -n 12 --budget 100 -e cycles,instructions >/tmp/table 2>/dev/null &
table=$!
busy 6
sleep 2
echo 0 >$online
sleep 1.5
echo 1 >$online
busy 6
wait $m1top
is "m1top goes on" $? 0
wait $table
idle

off=$(sed -n 's/^# off \([0-9]*\).*/\1/p' /tmp/csv)
on=$(sed -n 's/^# on \([0-9]*\).*/\1/p' /tmp/csv)
has "says that it went offline" "$(cat /tmp/err)" 'cpu 6 went offline'
has "and that it is online again" "$(cat /tmp/err)" 'cpu 6 is online again'
within "the log notes it going, at second" "$off" 1 4
within "and coming, at second" "$on" 2 6
has "the table shows it off" "$(cat /tmp/table)" 'P cpu6 +off +off +off'
has "with figures before" "$(sed '/cpu6 *off/,$d' /tmp/table)" 'P cpu6 +2\.[45][0-9] +3\.[12][0-9]G'
within "and again with the right rate after" "$(rates | tail -n 2 | head -n 1 | cut -d' ' -f2)" \
	3140000 3268000
is "nobody counts more than a core can" \
	"$(awk -F, '$8 == "CORE_ACTIVE_CYCLE" && $12 == "ok" && $9 / $11 > 3.27' /tmp/csv)" ""
finish
