#!/bin/sh
# a known program's counts on every CPU; every tick with all CPUs, in order
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
# shellcheck source=tests/vm/guest/many/ticks.sh
. /vm/many/ticks.sh

switches() { # so far, of all CPUs
	sed -n 's/^ctxt //p' /proc/stat
}

before=$(switches)
m1top stat -a -I 200 --budget 100 -e page-faults,context-switches,cpu-clock,active-time --format csv -o /tmp/csv /vm/many/known >/tmp/inner 2>/tmp/err
outer=$(($(switches) - before))
sed 's/^/# /' /tmp/err
is "page faults by CPU" "$(unknown_faults /tmp/csv 0)" ""
within "all context switches: /proc/stat's" "$(counted context-switches /tmp/csv 0 | awk '{ n += $2 } END { print n }')" "$(cat /tmp/inner)" $outer
is "ticks, CPUs and windows are complete and in order" "$(disorder /tmp/csv "$SERVER")" ""

# One is busy all the time: active for as long as its clock counts, and no other.
taskset -c $((SERVER - 1)) sh -c 'while :; do :; done' &
busy=$!
m1top stat -I 200 -n 6 --budget 100 -e context-switches,cpu-clock,active-time --format csv -o /tmp/busy 2>/dev/null
kill $busy
is "the same beside a program that never sleeps" "$(disorder /tmp/busy "$SERVER")" ""
counted cpu-clock /tmp/busy 2 >/tmp/clock
counted active-time /tmp/busy 2 | awk 'FNR == NR { clock[$1] = $2; next } $2 > .9 * clock[$1] { print $1 }' /tmp/clock - >/tmp/active
is "it is active, and no other" "$(cat /tmp/active)" $((SERVER - 1))
finish
