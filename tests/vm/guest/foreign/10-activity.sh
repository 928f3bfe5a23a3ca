#!/bin/sh
# activity monitors, all the way from the registers to what m1top shows
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# What m1top counted in all, by the log /tmp/csv.
sum() { # cpu, event
	awk -F, -v cpu="$1" -v event="activity/$2/" '$3 == cpu && $8 == event && $12 == "ok" {
		n += $9 } END { printf "%.0f", n }' /tmp/csv
}

# A metric of the last tick, in thousandths.
metric() { # cpu, name
	m1top stat --format csv -I 1000 -n 2 -C "$1" -M "$2" 2>/tmp/err |
		awk -F, -v name="$2" '$8 == name && $12 == "ok" { v = $9 } END { printf "%d", v * 1000 }'
}

insmod /lib/modules/m1pmu.ko amu=1
is "the module with amu=1 loads" $? 0
report=$(m1top doctor)
has "doctor: the monitors are used" "$report" 'ok type .*: amu: Arm.s activity monitors'
lacks "and nothing less is asked" "$report" 'cpufreq:'
events=$(m1top list events)
for event in active-cycles active-time active-instructions memory-stall aux0 aux-0x302; do
	has "list events: $event" "$events" "$event"
done

emulate freeze 1
m1top stat --format csv -o /tmp/csv --force -I 500 -e activity/active-cycles/,activity/active-time/ \
	-e activity/active-instructions/,activity/memory-stall/,activity/aux0/,activity/aux-0x302/ \
	>/dev/null 2>/tmp/err &
pid=$!
await has_tick 2
for cpu in 0 3 4 7; do
	emulate mon $cpu 0 $((3000000000 + cpu))
	emulate mon $cpu 1 625000
	emulate mon $cpu 2 $((7000000000 + cpu))
	emulate mon $cpu 3 $((100 + cpu))
	emulate mon $cpu 4 $((200 + cpu))
	emulate mon $cpu 6 $((300 + cpu))
done
await_more 3
stop $pid
emulate freeze 0
has "the log says where from" "$(head -30 /tmp/csv)" '^# source activity path=amu'
for cpu in 0 3 4 7; do
	is "exactly, CPU $cpu" "$(for e in active-cycles active-instructions memory-stall aux0 aux-0x302; do
		sum $cpu $e; echo; done | paste -sd ' ')" \
		"$((3000000000 + cpu)) $((7000000000 + cpu)) $((100 + cpu)) $((200 + cpu)) $((300 + cpu))"
	is "10 ms of the constant counter, CPU $cpu" "$(sum $cpu active-time)" 10000000
done
is "a CPU that nobody touched" "$(sum 1 active-cycles)" 0

busy 0 4
within "Frequency of a busy E core, MHz" "$(metric 0 Frequency)" 2060 2068
within "Frequency of a busy P core, MHz" "$(metric 4 Frequency)" 3200 3208
within "Utilisation of a busy core, %/1000" "$(metric 4 Utilisation)" 90000 102000
within "instructions per active cycle, /1000" "$(metric 4 active_ipc)" 2490 2510
within "memory stalls, %/1000" "$(metric 4 memory_stall_share)" 9900 10100
idle
within "Utilisation of an idle core, %/1000" "$(metric 5 Utilisation)" 0 30000
within "and its frequency, MHz" "$(metric 5 Frequency)" 3200 3208

duty 6 50 100 &
pid=$!
within "Utilisation of a core that is busy half of the time, %/1000" "$(metric 6 Utilisation)" 49000 53000
emulate amu 0
within "and by its idle times" "$(metric 6 Utilisation)" 46000 54000
stop $pid
has "zeros: doctor says what firmware forgot" "$(m1top doctor)" \
	'- +type .*: amu: firmware has not enabled the activity monitors .*AMCNTENSET 0x0'
out=$(m1top stat -n 1 -I 300 -e activity/active-instructions/ 2>&1)
has "and so does whoever asks for them" "$out" \
	'active-instructions.* is not counted: firmware has not enabled the activity monitors'
has "which are not supported, not 0" "$out" 'cpu0 .*n/s'
busy 4
within "Utilisation comes from idle times then, %/1000" "$(metric 4 Utilisation)" 90000 102000
idle
emulate amu 1
rmmod m1pmu
report=$(m1top doctor)
has "without the module doctor says that it is not installed" "$report" 'amu: the kernel module m1pmu is not installed'
lacks "and names no line that loads it" "$report" 'modprobe m1pmu amu=1'
mkdir -p "/lib/modules/$(uname -r)"
echo "updates/m1pmu.ko:" >"/lib/modules/$(uname -r)/modules.dep"
has "where it is installed doctor names the line, and what it can do" "$(m1top doctor)" \
	'm1pmu is not loaded; sudo modprobe m1pmu amu=1 \(where firmware .* can hang the machine\)'
rm "/lib/modules/$(uname -r)/modules.dep"
finish
