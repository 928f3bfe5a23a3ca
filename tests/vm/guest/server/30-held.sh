#!/bin/sh
# counters that others hold: who it is, and the line that frees them; what is left is counted
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

code() { # number: an event that takes any counter
	case $SERVER in
	neoverse) printf 'event=%#x' $((0x1f + $1)) ;;
	*) printf 'event=0xd1,umask=%#x' "$1" ;;
	esac
}

case $SERVER in
hybrid) pmu=cpu_core ;;
neoverse) pmu=armv8_pmuv3_0 ;;
*) pmu=cpu ;;
esac

counters() { # doctor's figure of CPU 0's type
	m1top doctor 2>&1 | sed -nE "s/.*cpu 0.*, $pmu, ([0-9]+) hardware counters.*/\1/p"
}

# ---- the NMI watchdog pins cycles on each CPU ----
before=$(counters)
echo 1 >/tmp/nmi_watchdog
mount --bind /tmp/nmi_watchdog /proc/sys/kernel/nmi_watchdog 2>/tmp/why || why=$(cat /tmp/why)
if grep -q watchdog_buddy_ /proc/kallsyms; then
	skip "the NMI watchdog holds a counter of each core" "this kernel's watchdog needs none"
elif [ "$(cat /proc/sys/kernel/nmi_watchdog 2>/dev/null)" = 1 ]; then
	echo 1 >/sys/kernel/debug/pmu_model/watchdog
	doctor=$(m1top doctor 2>&1)
	echo "$doctor" | grep -i watchdog | sed 's/^/# /'
	is "the NMI watchdog holds a counter of each core" "$(counters)" $((before - 1))
	has "doctor says how to free it" "$doctor" "NMI watchdog holds one counter of every core.*sudo sysctl kernel.nmi_watchdog=0"
	m1top stat -C 0 -n 1 -I 200 --budget 100 -e cycles,instructions --format csv >/tmp/csv 2>&1
	is "what is left counts" "$(grep -c ',ok,' /tmp/csv)" 2
	echo 0 >/sys/kernel/debug/pmu_model/watchdog
	umount /proc/sys/kernel/nmi_watchdog
	is "without it all are there" "$(counters)" "$before"
else
	skip "the NMI watchdog holds a counter of each core" "no /proc/sys/kernel/nmi_watchdog: ${why:-none}"
fi

# ---- another perf, which pins all counters of CPU 1 ----
if command -v perf >/dev/null; then
	# shellcheck disable=SC2046 # one -e for each
	perf stat -C 1 $(for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "-e $pmu/$(code $n)/D"; done) sleep 20 >/dev/null 2>&1 &
	perf=$!
	sleep 2
	m1top stat -I 500 -n 4 --budget 100 -C 0,1 -e "$pmu/$(code 13)/,$pmu/$(code 14)/" >/tmp/table 2>&1
	doctor=$(m1top doctor 2>&1)
	kill $perf
	sed 's/^/# /' /tmp/table
	echo "$doctor" | grep "other users" | sed 's/^/# /'
	has "the held core shows nothing" "$(cat /tmp/table)" 'cpu1 +- +-'
	has "its neighbour its figures" "$(cat /tmp/table)" 'cpu0 +[0-9.]+'
	has "who holds them is said to be known to doctor" "$(cat /tmp/table)" 'cpu 1: .*another tool holds them: sudo m1top doctor'
	has "doctor names it" "$doctor" "other users of counters: .*perf \\("
else
	skip "another perf" "perf could not be built: no source of Linux 6.12"
fi
finish
