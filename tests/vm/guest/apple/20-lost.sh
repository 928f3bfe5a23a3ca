#!/bin/sh
# what a core counted before its state was lost, or before somebody else wrote its registers, is lost: never a number near 2^48
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

start() {
	m1top stat -I 500 --budget 100 -e cycles,instructions,PMC6=INST_BRANCH --format csv \
		>/tmp/csv 2>/tmp/err &
	m1top=$!
	await has_tick 2
}

# The qualities of a core's events, one after the other, repeats dropped.
qualities() { # cpu
	awk -F, -v cpu="$1" '$3 == cpu && $1 > 1 && $8 == "CORE_ACTIVE_CYCLE" { print $12 }' /tmp/csv |
		uniq -c | awk '{ printf "%s%s ", $2, $2 == "lost" ? "*" $1 : "" }'
}

# Nobody counts more than a core can: 3.27 cycles and 8.2 instructions a nanosecond.
impossible() {
	awk -F, '/^[0-9]/ && $9 != "" && $9 > 8.2 * $11 { print }' /tmp/csv
}

busy 4 5 6
# Nothing but whole windows, one of them lost.
# shellcheck disable=SC2317 # called by await
lost_one() { # cpu
	[ "$(qualities "$1")" = "ok lost*1 ok " ]
}

# A second before the wrap; the module goes on from the values that it finds.
for n in 0 1 6; do
	emulate pmc 6 $n $(((1 << 48) - 5000000000))
done
start
emulate reset 5
await lost_one 5
emulate reg 4 PMESR1 0x01010101
await lost_one 4
stop $m1top
is "a reset by deep idle that nobody announced: one window lost, then right again" \
	"$(qualities 5)" "ok lost*1 ok "
has "and the user is told" "$(cat /tmp/err)" 'cpu 5: PMCR0 is not as m1top wrote it'
is "PMESR1 written by somebody else: one window lost" "$(qualities 4)" "ok lost*1 ok "
has "and the user is told which" "$(cat /tmp/err)" 'cpu 4: PMESR1 is not as m1top wrote it'
is "the neighbour is not touched, and its counters wrap at 48 bits: nothing is lost" "$(qualities 6)" "ok "
within "nor is any window of it too small: cycles a millisecond" "$(awk -F, '$3 == 6 && $1 > 1 &&
	$8 == "CORE_ACTIVE_CYCLE" { print int($9 * 1000000 / $11) }' /tmp/csv | sort -n | head -n 1)" 3140000 3268000
is "no number is impossible" "$(impossible)" ""

start
emulate pmc 6 0 $(((1 << 48) - 1000000000000))
await lost_one 6
is "a counter that somebody else wrote: one window lost" "$(qualities 6)" "ok lost*1 ok "
is "and no number near 2^48" "$(impossible)" ""

echo 0 >/sys/devices/system/cpu/cpu6/online
await was_told 'cpu 6 went offline'
has "a core that is unplugged goes off" "$(cat /tmp/err)" 'cpu 6 went offline'
echo 1 >/sys/devices/system/cpu/cpu6/online
busy 6
await was_told 'cpu 6 is online again'
has "and comes back" "$(cat /tmp/err)" 'cpu 6 is online again'
await_more 4
stop $m1top
is "no number is impossible" "$(impossible)" ""
within "with the right rate again: cycles a millisecond, the most of the last windows" \
	"$(awk -F, '$3 == 6 && $8 == "CORE_ACTIVE_CYCLE" && $12 == "ok" { print int($9 * 1000000 / $11) }' /tmp/csv |
		tail -n 3 | sort -n | tail -n 1)" 3140000 3268000
idle
finish
