# shellcheck shell=sh
# lib.sh: what shell tests inside the emulated M1 share; `. /vm/lib.sh` first, `finish` last
# shellcheck disable=SC2034 # for those who source it
pmus=/sys/bus/event_source/devices
emu=/sys/kernel/debug/apple_pmu_emu
n_tests=0
n_failed=0

ok() { # name
	n_tests=$((n_tests + 1))
	echo "ok $n_tests - $1"
}

not_ok() { # name, why
	n_tests=$((n_tests + 1))
	n_failed=$((n_failed + 1))
	echo "not ok $n_tests - $1"
	echo "$2" | sed 's/^/# /'
}

skip() { # name, why
	n_tests=$((n_tests + 1))
	echo "ok $n_tests - $1 # SKIP $2"
}

is() { # name, found, wanted
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "found  $2
wanted $3"; fi
}

within() { # name, found, least, most: whole numbers
	if [ -n "$2" ] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		ok "$1 ($2)"
	else
		not_ok "$1" "found $2, wanted $3 to $4"
	fi
}

has() { # name, text, pattern
	if echo "$2" | grep -qE -e "$3"; then ok "$1"; else not_ok "$1" "$2
lacks: $3"; fi
}

lacks() { # name, text, pattern
	if echo "$2" | grep -qE -e "$3"; then not_ok "$1" "$2
has: $3"; else ok "$1"; fi
}

finish() {
	echo "1..$n_tests"
	exit $((n_failed > 0))
}

# Commands for the emulation: see tests/vm/README.md.
emulate() { # words
	echo "$*" >$emu/ctl
}

# The stock driver: built in, or as a module. It goes in first, as a built-in one is there first.
load_driver() {
	[ -e /lib/modules/apple_m1_pmu_test.ko ] || return 0
	insmod /lib/modules/apple_m1_pmu_test.ko
}

load_emulation() {
	insmod /lib/modules/apple_pmu_emu.ko
}

# Counts a millisecond of counted time, by the log /tmp/csv.
rate() { # cpu, event
	awk -F, -v cpu="$1" -v event="$2" '$3 == cpu && $8 == event && $12 == "ok" && $1 > 1 {
		counts += $9; ns += $11 } END { printf "%d", ns ? counts * 1000000 / ns : 0 }' /tmp/csv
}

# "0x95 0x0e0": each id that a report of m1top discover has counters of, and these as a mask
found_masks() { # type, report
	sed -n "s/.*\"type\": \"$1\", \"id\": \"\(0x[0-9a-f]*\)\".*\"counters\": \[\([^]]*\)\].*/\1 \2/p" "$2" |
		while read -r id counters; do
			mask=0
			for counter in $(echo "$counters" | tr ',' ' '); do
				mask=$((mask | 1 << counter))
			done
			printf '%s 0x%03x\n' "$id" $mask
		done
}

# "P 0x95 load consistent 1": each response that a report of m1top discover claims, with its k
found_responses() { # report
	sed -n 's/.*"type": "\([^"]*\)", "kernel": "\([^"]*\)", "id": "\([^"]*\)", "verdict": "\([^"]*\)", "k": \([^,]*\),.*/\1 \3 \2 \4 \5/p' "$1" |
		grep -vE ' (none|unknown) '
}

# A busy loop on each of these CPUs until `idle`.
busy() { # cpus
	for cpu in "$@"; do
		spin "$cpu" &
		busy_pids="$busy_pids $!"
	done
}

idle() {
	# shellcheck disable=SC2086 # a list
	[ -z "$busy_pids" ] || kill $busy_pids
	wait 2>/dev/null
	busy_pids=
}

# CPU time in microseconds that a tick of ten counters on all cores costs, by the kernel's account.
# Emulated registers trap and the processor is emulated: only ratios say something.
tick_cost() { # backend
	m1top stat --backend "$1" -I 20 --budget 100 >/dev/null 2>&1 &
	pid=$!
	sleep 1
	from=$(cpu_ticks $pid)
	sleep 4
	echo $((($(cpu_ticks $pid) - from) * 10000 / 200))
	stop $pid
}

cpu_ticks() { # pid: of 10 ms
	echo $(($(cut -d' ' -f14,15 "/proc/$1/stat" | tr ' ' '+')))
}

# Until the command succeeds: how long that takes is nobody's to say on an emulated machine.
await() { # command
	for _ in $(seq 120); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.25
	done
}

# The log /tmp/csv has this tick or, as ticks can be missed, a later one; it is written once a second.
has_tick() { # tick
	awk -F, -v tick="$1" '$1 ~ /^[0-9]+$/ && $1 + 0 >= tick { found = 1; exit } END { exit !found }' /tmp/csv
}

# The last tick in the log, and so many after it.
await_more() { # ticks
	await has_tick $(($(sed -n 's/^\([0-9]*\),.*/\1/p' /tmp/csv | tail -n 1) + $1))
}

# m1top said it: its messages are in /tmp/err.
was_told() { # pattern
	grep -qE "$1" /tmp/err
}

stop() { # pid: returns its exit status, 0 also where it died of the signal, as stat does. Not SIGINT, which the shell has its background jobs ignore
	kill -TERM "$1"
	wait "$1" 2>/dev/null
	set -- $?
	[ "$1" = 143 ] || return "$1"
}
