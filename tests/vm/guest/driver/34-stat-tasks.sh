#!/bin/sh
# stat of a command that runs on both core types: attributed, what its tasks say of themselves; and each way, with
# rights and without, what perf stat counts
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# What is started here starts on a P core.
taskset -p 10 $$ >/dev/null
mkdir -p /etc
printf '%s\n' root:x:0:0::/root:/bin/sh nobody:x:65534:65534::/tmp:/bin/sh >/etc/passwd
echo 2 >/proc/sys/kernel/perf_event_paranoid

# Three that are busy for different parts of the time on one P core, and one that moves.
beside="duty 5 30 100 10 & duty 5 20 100 10 & duty 5 10 70 14 & work 6:200 1:400 5:200 2:200; wait"
measure() {
	m1top stat -x, --by task -e cycles,instructions sh -c "($beside) >/tmp/told" >/tmp/counted 2>/tmp/err
	ended="$? $(cat /tmp/err)"
	# Each task on each type: cycles a ms of the CPU time that it tells, and instructions too many for these cycles.
	awk -F'[ ,]' 'FILENAME == "/tmp/told" { ns[$1 " " ($2 < 4 ? "E" : "P")] += $3; next }
		{ pid = $1; sub(/.*-/, "", pid); count[$5, pid " " $2] += $3 } # a row for each program of it
		END { for (who in ns) {
			cycles = count["CORE_ACTIVE_CYCLE", who]
			more = count["INST_ALL", who] - cycles * (who ~ /E/ ? 2476 / 2064 : 2.5)
			printf "%s %d %d\n", who, cycles * 1000000 / ns[who], more } }' /tmp/told /tmp/counted >/tmp/rates
	awk '{ khz = $2 == "E" ? 2064000 : 3204000 } $3 < khz * 0.99 || $3 > khz * 1.01' /tmp/rates >/tmp/beyond
}

# What a busy host takes in the middle of a switch is in the task's time or in its cycles alone: then once more.
for _ in 1 2 3; do
	measure
	[ -s /tmp/beyond ] || break
done
is "stat --by task ends well" "$ended" "0 "
cat /tmp/told /tmp/counted /tmp/rates | sed 's/^/# /'
is "three tasks on a P core and one on both types say what they did" "$(cut -d' ' -f2 /tmp/rates | sort | tr -d '\n')" EPPPP
is "each has its type's cycles for its CPU time" "$(cat /tmp/beyond)" ""
is "and the instructions of its cycles, to a millionth" "$(awk '$4 < -2000 || $4 > 2000' /tmp/rates)" ""

# Cycles and instructions on E cores and on P cores, of what m1top or perf prints. perf gives them as if a task had always
# been on one type, unless it shall not.
counts() {
	awk -F, 'NF > 4 && !/not counted/ {
		type = /^E,|,E,|icestorm/ ? "E" : "P"
		sum[type (/CYCLE|cycles/)] += $1 ~ /^[0-9]/ ? $1 : $3 }
		END { printf "%.0f %.0f %.0f %.0f\n", sum["E1"], sum["E0"], sum["P1"], sum["P0"] }'
}

as() { # user, words: counts
	user=$1
	shift
	su "$user" -c "$*" 2>&1 | counts
}

by_perf() { # user, level, words
	user=$1 level=$2
	shift 2
	events=$(for pmu in apple_icestorm_pmu apple_firestorm_pmu; do
		printf ',%s/cycles/%s,%s/instructions/%s' $pmu "$level" $pmu "$level"
	done)
	as "$user" perf stat --no-scale --log-fd 1 -x, -e "${events#,}" "$@"
}

agree() { # name, found, wanted: within 1 %
	is "$1 ($2)" "$(echo "$2 $3" | awk '{ for (i = 1; i <= 4; i++) n += $i >= $(i + 4) * 0.99 && $i <= $(i + 4) * 1.01
		print n, $7 ? "agree" : "of nothing" }')" "4 agree"
}

# Cycles and instructions of CPU times in ms
truth() { # on E cores, on P cores
	echo $(($1 * 2064000)) $(($1 * 2476000)) $(($2 * 3204000)) $(($2 * 8010000))
}

all_agree() { # name, words
	name=$1
	shift
	perf=$(by_perf root H "$@")
	agree "$name: m1top stat counts what perf does" "$(as root m1top stat -x, -e cycles,instructions "$@")" "$perf"
	agree "$name: so it does by attribution" "$(as root m1top stat -x, --by task -e cycles,instructions "$@")" "$perf"
	agree "$name: without rights what perf does without" \
		"$(as nobody m1top stat -x, -e cycles,instructions "$@")" "$(by_perf nobody uH "$@")"
}

if ! command -v perf >/dev/null; then
	skip "stat counts what perf does" "perf could not be built: no source of Linux 6.12"
	finish
fi
all_agree "one task" work 5:1000
agree "which are those of a second on a P core" "$perf" "$(truth 0 1000)"
all_agree "one that moves" work 5:500 1:500 6:500 2:500
agree "which are those of a second on each" "$perf" "$(truth 1000 1000)"
echo "work 5:500 & work 6:200 1:500; wait" >/tmp/forks
all_agree "one with children" sh /tmp/forks
finish
