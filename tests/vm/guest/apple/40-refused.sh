#!/bin/sh
# who cannot have the counters is told why, and what to do
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

m1top stat -I 500 --budget 100 --format csv >/tmp/csv 2>&1 &
first=$!
await has_tick 1
second=$(m1top stat --backend apple -I 200 -n 1 2>&1)
has "a second user is told who has them" "$second" "m1top \\($first\\)"
has "doctor too" "$(m1top doctor 2>&1)" "m1top \\($first\\)"
stop $first
has "when it has gone they are free" "$(m1top stat --backend apple -I 200 -n 2 --budget 100 -C 5 -e cycles --format csv)" '^2,.*,ok'
rmmod m1pmu
is "the module goes" $? 0
has "without it: the line that loads it" "$(m1top stat --backend apple -n 1 2>&1)" 'sudo modprobe m1pmu'
has "doctor as well" "$(m1top doctor 2>&1)" 'modprobe m1pmu'
insmod /lib/modules/m1pmu.ko
finish
