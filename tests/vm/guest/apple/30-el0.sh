#!/bin/sh
# the counters read without a system call, on every core
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# The qualities of core 5's cycles, one after the other, repeats dropped.
qualities() {
	awk -F, '$3 == 5 && $1 > 1 && $8 == "CORE_ACTIVE_CYCLE" { print $12 }' /tmp/csv | uniq -c |
		awk '{ printf "%s%s ", $2, $2 == "lost" ? "*" $1 : "" }'
}

# shellcheck disable=SC2317 # called through await
lost_one() {
	[ "$(qualities)" = "ok lost*1 ok " ]
}

status() { # command: its exit status, 132 for SIGILL
	"$@" >/dev/null 2>&1
	echo $?
}

is "MRS at EL0 is SIGILL before" "$(status pmc 3 0)" 132
busy 0 1 2 3 4 5 6 7
m1top stat --backend apple:el0 -I 500 --budget 100 --format csv >/tmp/csv 2>/tmp/err &
m1top=$!
await has_tick 1
is "open to every process while it runs" "$(status pmc 3 0)" 0
await has_tick 4
stop $m1top
is "m1top ends well" $? 0
is "every row of every core counted" "$(grep '^[0-9]' /tmp/csv | cut -d, -f3,12 | sort -u | tr '\n' ' ')" \
	"0,ok 1,ok 2,ok 3,ok 4,ok 5,ok 6,ok 7,ok "
for cpu in 0 1 2 3; do
	within "E core $cpu: cycles a millisecond" "$(rate $cpu CORE_ACTIVE_CYCLE)" 2023000 2105000
done
for cpu in 4 5 6 7; do
	within "P core $cpu: cycles a millisecond" "$(rate $cpu CORE_ACTIVE_CYCLE)" 3140000 3268000
done
has "the user is told that it is open" "$(cat /tmp/err)" 'every process can read and write'
is "SIGILL again after" "$(status pmc 3 0)" 132

idle
busy 5
m1top stat --backend apple:el0 -I 500 --budget 100 -e cycles --format csv >/tmp/csv 2>/tmp/err &
m1top=$!
await has_tick 2
emulate reset 5
await lost_one
stop $m1top
is "access lost with the core's state: one window lost, m1top lives" "$(qualities)" "ok lost*1 ok "
has "and the user is told" "$(cat /tmp/err)" 'cpu 5: user access'

# any process may write it: enabled counters, EL0 access, and the interrupt mode FIQ that nobody handles
m1top stat --backend apple:el0 -I 500 --budget 100 -e cycles --format csv >/tmp/csv 2>/tmp/err &
m1top=$!
await has_tick 2
pmc 3 10 0x3400004ff >/dev/null
await was_told 'counting was stopped'
stop $m1top 2>/dev/null
is "a process enables interrupts of the PMU: m1top ends" $? 1
has "and says why" "$(cat /tmp/err)" 'm1top: counting was stopped: a process enabled interrupts of the PMU'
has "so does the kernel log" "$(dmesg | grep m1pmu:)" 'enabled the PMU.s interrupts on CPU 3 .PMCR0 0x3400004ff'
is "with SIGILL for everybody again" "$(status pmc 3 0)" 132
is "what was counted before is in the log" "$(grep -c ',ok,$' /tmp/csv | sed 's/[1-9][0-9]*/some/')" some

busy 6
m1top stat --backend apple:el0 -I 500 --budget 100 -e cycles --format csv >/tmp/csv 2>/tmp/err &
m1top=$!
await has_tick 2
echo 0 >/sys/devices/system/cpu/cpu6/online
await was_told 'cpu 6 went offline'
echo 1 >/sys/devices/system/cpu/cpu6/online
busy 6
await was_told 'cpu 6 is online again'
await_more 4
stop $m1top
is "a core unplugged and back, its thread moved away meanwhile: m1top lives" $? 0
has "the core went off" "$(cat /tmp/err)" 'cpu 6 went offline'
has "and came back" "$(cat /tmp/err)" 'cpu 6 is online again'
is "no number is impossible" "$(awk -F, '/^[0-9]/ && $9 != "" && $9 > 8.2 * $11' /tmp/csv)" ""
within "with the right rate again: cycles a millisecond, the most of the last windows" \
	"$(awk -F, '$3 == 6 && $8 == "CORE_ACTIVE_CYCLE" && $12 == "ok" { print int($9 * 1000000 / $11) }' /tmp/csv |
		tail -n 4 | sort -n | tail -n 1)" 3140000 3268000
idle
has "an unknown option names the known" "$(m1top stat --backend apple:fast -n 1 2>&1)" 'no option "fast".*el0.*l2c=cluster'
finish
