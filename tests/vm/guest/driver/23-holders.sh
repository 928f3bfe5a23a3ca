#!/bin/sh
# another tool pins all counters of a core: m1top shows none of its figures, and doctor says who it is
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

hog 5 apple_firestorm_pmu >/tmp/hog &
hog=$!
await grep -q holding /tmp/hog
m1top stat -I 500 -n 4 --budget 100 -C 4,5 -e cycles,instructions >/tmp/table 2>&1
doctor=$(m1top doctor 2>&1)
kill $hog

ticks=$(sed '/another tool/q' /tmp/table | grep -c 'cpu5')
has "the hog holds the counters" "$(cat /tmp/hog)" holding
has "the held core shows nothing" "$(cat /tmp/table)" 'cpu5 +- +- +-'
has "its neighbour its figures" "$(cat /tmp/table)" 'cpu4 +[0-9.]+ +[0-9]'
has "where the holder is named is said" "$(cat /tmp/table)" 'cpu 5: .*another tool holds them: sudo m1top doctor'
has "doctor names it" "$doctor" "other users of counters: .*hog \\($hog\\)"
within "after ticks" "$ticks" 1 3
lacks "nothing is said of the others" "$(cat /tmp/table)" 'cpu 4:'
m1top stat -I 200 -n 2 --budget 100 -C 5 -e cycles --format csv >/tmp/csv 2>&1
has "when it is gone the core counts again" "$(cat /tmp/csv)" '^2,.*,ok'
finish
