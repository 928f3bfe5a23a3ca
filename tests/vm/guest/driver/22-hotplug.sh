#!/bin/sh
# a core that is unplugged while m1top counts is shown off, and right again when it is back
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
online=/sys/devices/system/cpu/cpu6/online

# Cycles a millisecond of CPU 6 in each window since it came back.
rates_after() {
	awk -F, '/^# on/ { is_back = 1 }
		is_back && $3 == 6 && $8 == "CORE_ACTIVE_CYCLE" && $12 == "ok" {
		print int($9 * 1000000 / $11) }' /tmp/csv
}

m1top stat -I 500 --budget 100 -e cycles,instructions --format csv >/tmp/csv 2>/tmp/err &
m1top=$!
m1top stat -I 500 --budget 100 -e cycles,instructions >/tmp/table 2>/tmp/table.err &
table=$!
busy 6
await has_tick 3
echo 0 >$online
await was_told 'cpu 6 went offline'
await_more 1
echo 1 >$online
busy 6
await was_told 'cpu 6 is online again'
await_more 4
stop $m1top
is "m1top goes on" $? 0
stop $table
idle

off=$(sed -n 's/^# off \([0-9]*\).*/\1/p' /tmp/csv)
on=$(sed -n 's/^# on \([0-9]*\).*/\1/p' /tmp/csv)
has "says that it went offline" "$(cat /tmp/err)" 'cpu 6 went offline'
has "and that it is online again" "$(cat /tmp/err)" 'cpu 6 is online again'
within "the log notes it going, at second" "$off" 1 120
within "and coming, at second" "$on" "$off" 120
has "the table shows it off" "$(cat /tmp/table)" 'P cpu6 +off +off +off'
has "with figures before" "$(sed '/cpu6 *off/,$d' /tmp/table)" 'P cpu6 +2\.[45][0-9] +3\.[12][0-9]G'
within "and again with the right rate after" "$(rates_after | tail -n 2 | head -n 1)" \
	3140000 3268000
is "nobody counts more than a core can" \
	"$(awk -F, '$8 == "CORE_ACTIVE_CYCLE" && $12 == "ok" && $9 / $11 > 3.27' /tmp/csv)" ""
finish
