#!/bin/sh
# :u and :k count what they say
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

count() { # event: events of all ticks but the first, in thousands
	awk -F, -v event="CORE_ACTIVE_CYCLE$1" '$8 == event && $1 > 1 && $12 == "ok" {
		sum += $9 } END { printf "%d", sum / 1000 }' /tmp/csv
}

busy 5
m1top stat -I 500 -n 4 --budget 100 -C 5 -e cycles,cycles:u,cycles:k --format csv >/tmp/csv 2>&1
idle
all=$(count "") user=$(count :u) kernel=$(count :k)
within "user and kernel together are all, in thousands" $((user + kernel)) $((all * 98 / 100)) \
	$((all * 102 / 100))
within "a busy loop is nearly all in user space" "$user" $((all * 80 / 100)) "$all"
within "and not all" "$kernel" 1 $((all * 20 / 100))

# A loop of system calls spends its time in the kernel.
taskset -c 6 dd if=/dev/zero of=/dev/null bs=65536 2>/dev/null &
dd=$!
m1top stat -I 500 -n 4 --budget 100 -C 6 -e cycles,cycles:u,cycles:k --format csv >/tmp/csv 2>&1
kill $dd
within "copying in the kernel is mostly kernel" "$(count :k)" $(($(count "") / 2)) "$(count "")"
finish
