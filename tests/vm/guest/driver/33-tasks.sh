#!/bin/sh
# whose cycles they are: what 32-tasks.py logged
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# What all tasks of a core have is what the core has, in each tick and of each event; a busy machine may lose records,
# whose counts [unattributed] has then, and the other tasks are partial.
sums=$(awk -F, '/^[0-9]/ && $3 != "" && ($12 == "ok" || $12 == "partial") {
		if ($7 == "") core[$1 "," $3 "," $8] = $9; else task[$1 "," $3 "," $8] += $9 }
	END { for (i in task) { n++
		if (task[i] != core[i]) { bad++; print "# " i ": " task[i] " of " core[i] >"/dev/stderr" } }
	print n + 0, bad + 0 }' /tmp/tasks.csv)
within "so many sums of tasks are there" "${sums% *}" 20 1000000
is "a core's tasks add up to the core, to the unit" "${sums#* }" 0

# Each of our programs on each core type where it ran for 100 ms: cycles a ms of its time, and instructions too many for
# these cycles. What else runs is interrupted in the middle of what the emulation counts at once.
rates=$(awk -F, '/^# task .* name=(duty|spin)( |$)/ { split($0, word, " "); ours[word[4]] }
	/^[0-9]/ && $12 == "ok" && $7 in ours {
		n[$7 " " $4 " " $8] += $9
		if ($8 == "CORE_ACTIVE_CYCLE") ns[$7 " " $4] += $11 }
	END { for (i in ns) if (ns[i] > 100000000) {
		cycles = n[i " CORE_ACTIVE_CYCLE"]
		more = n[i " INST_ALL"] - cycles * (i ~ /E/ ? 2476 / 2064 : 2.5)
		printf "%s %d %d %d\n", i, cycles * 1000000 / ns[i], more, ns[i] / 1000000 } }' /tmp/tasks.csv)
echo "$rates" | sed 's/^/# /'
is "each has its core type's cycles for its time" \
	"$(echo "$rates" | awk '{ khz = $2 == "E" ? 2064000 : 3204000 } $3 < khz * 0.99 || $3 > khz * 1.01')" ""
is "and the instructions of its cycles" "$(echo "$rates" | awk '$4 < -2000 || $4 > 2000')" ""
within "three of them and the one that moves ran on P cores" "$(echo "$rates" | grep -c ' P ')" 4 100
within "one of them on E cores, too" "$(echo "$rates" | awk '$2 == "E" { e[$1] } $2 == "P" { p[$1] }
	END { for (i in e) n += i in p; print n + 0 }')" 1 100
finish
