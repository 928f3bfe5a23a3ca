#!/bin/sh
# the counters read without a system call, on every core
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

rate() { # cpu, event
	awk -F, -v cpu="$1" -v event="$2" '$3 == cpu && $8 == event && $12 == "ok" && $1 > 1 {
		counts += $9; ns += $11 } END { printf "%d", ns ? counts * 1000000 / ns : 0 }' /tmp/csv
}

# The qualities of core 5's cycles, one after the other, repeats dropped.
qualities() {
	awk -F, '$3 == 5 && $1 > 1 && $8 == "CORE_ACTIVE_CYCLE" { print $12 }' /tmp/csv | uniq -c |
		awk '{ printf "%s%s ", $2, $2 == "lost" ? "*" $1 : "" }'
}

# shellcheck disable=SC2317 # called by await
lost_one() {
	[ "$(qualities)" = "ok lost*1 ok " ]
}

status() { # command: its exit status, 132 for SIGILL
	"$@" >/dev/null 2>&1
	echo $?
}

is "MRS at EL0 is SIGILL before" "$(status pmc 3 0)" 132
busy 1 5
m1top stat --backend apple:el0 -I 500 --budget 100 --format csv >/tmp/csv 2>/tmp/err &
m1top=$!
await has_tick 1
is "open to every process while it runs" "$(status pmc 3 0)" 0
await has_tick 4
stop $m1top
is "m1top ends well" $? 0
is "every row of every core counted" "$(grep '^[0-9]' /tmp/csv | cut -d, -f3,12 | sort -u | tr '\n' ' ')" \
	"0,ok 1,ok 2,ok 3,ok 4,ok 5,ok 6,ok 7,ok "
within "busy E core: cycles a millisecond" "$(rate 1 CORE_ACTIVE_CYCLE)" 2023000 2105000
within "busy P core: cycles a millisecond" "$(rate 5 CORE_ACTIVE_CYCLE)" 3140000 3268000
for cpu in 0 2 3; do
	within "E core $cpu, not busy: some, and no more than it can" "$(rate $cpu CORE_ACTIVE_CYCLE)" 1 2105000
done
for cpu in 4 6 7; do
	within "P core $cpu, not busy: likewise" "$(rate $cpu CORE_ACTIVE_CYCLE)" 1 3268000
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
idle
has "an unknown option names the known" "$(m1top stat --backend apple:fast -n 1 2>&1)" 'no option "fast".*el0.*l2c=cluster'
finish
