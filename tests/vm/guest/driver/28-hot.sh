#!/bin/sh
# functions by samples of the stock driver: overflows of the emulated counters
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# Share of a function in permille, by the CSV form: count, event, share, error, samples, function, object, task, type, quality.
share() { # function
	awk -F, -v name="$1" '$6 == name { printf "%d", $3 * 10 + 0.5 }' /tmp/hot
}

error() { # function
	awk -F, -v name="$1" '$6 == name { printf "%d", $4 * 10 + 0.5 }' /tmp/hot
}

sum() { # column
	awk -F, -v column="$1" '{ sum += $column } END { printf "%.0f", sum }' /tmp/hot
}

# The kernel lowers its limit where interrupts take long, as emulated ones do, and stops the group above that until the next
# tick: what it counted, at ticks' begins, stands for the whole time, and is marked.
m1top stat --by function -e cycles -x, -o /tmp/hot --force -- hot 5 1000 >/dev/null 2>/tmp/err
least=2900000 most=3500000
! grep -q ',scaled$' /tmp/hot || least=2200000 most=4200000
within "cycles a ms, at $(cat /proc/sys/kernel/perf_event_max_sample_rate) samples a second at most" \
	$(($(sum 1) / 1000)) $least $most
sed 's/^/# /' /tmp/hot /tmp/err
echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent # never lower it

for event in cycles L1D_CACHE_MISS_LD_NONSPEC; do
	m1top stat --by function -e $event -x, -o /tmp/hot --force -- hot 5 4000 >/tmp/pid 2>/tmp/err ||
		not_ok "$event: stat --by function runs" "$(cat /tmp/err)"
	sed 's/^/# /' /tmp/hot
	within "$event: samples" "$(sum 5)" 1000 20000
	# of both: the emulated interrupt has a part itself
	both=$(($(share hot_sixty) + $(share hot_forty)))
	within "$event: most are in the program" $both 700 1000
	within "$event: hot_sixty has 60 %, within its error" $(($(share hot_sixty) * 1000 / both)) \
		$((600 - 2 * $(error hot_sixty))) $((600 + 2 * $(error hot_sixty)))
	has "$event: in its program and process" "$(cat /tmp/hot)" "hot_sixty,hot,hot $(cat /tmp/pid)"
done

# The count beside the samples is what the emulation counts in the program's time: INST_ALL is 2.5 of 3204 cycles/us.
m1top stat --by function -e INST_ALL -x, -o /tmp/hot --force -- hot 6 2000 >/tmp/pid 2>/tmp/err
within "instructions a ms of 2000 ms on a P core" $(($(sum 1) / 2000)) 7850000 8300000
lacks "no switch is lost" "$(cat /tmp/err)" "were not recorded"

# What cannot be sampled says so.
has "the time of a core cannot be sampled" "$(m1top stat --by function -e active-time -n 1 2>&1)" "cannot be sampled.*cycles"
finish
