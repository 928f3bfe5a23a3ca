#!/bin/sh
# CPUs with activity monitors, without, and with monitors that trap, all of one type: each is asked
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# What m1top said of a CPU in all ticks of the log /tmp/csv: the sum of what was counted, or its quality.
said() { # cpu, event
	awk -F, -v cpu="$1" -v event="activity/$2/" '$3 == cpu && $8 == event {
		if ($12 == "ok") n += $9; else why = $12 } END { print why ? why : n + 0 }' /tmp/csv
}

rmmod apple_pmu_emu
insmod /lib/modules/apple_pmu_emu.ko amu=1,2,4-6 amu_traps=6
insmod /lib/modules/m1pmu.ko amu=1
is "the module loads" $? 0
has "the kernel log names the CPU whose monitors trap" "$(dmesg)" 'm1pmu: CPU 6 says .* AMCFGR_EL0 traps'
for cpu in 0 3 7; do
	has "CPU $cpu has none" "$(m1pmu amu $cpu)" 'amu: Operation not supported'
done
has "nobody reads those that trap" "$(m1pmu amu 6)" 'amu: No such device or address'
has "CPU 5 has them" "$(m1pmu amu 5)" '^5 3 '

report=$(m1top doctor)
has "doctor: the monitors are used" "$report" "ok type .*: amu: Arm.s activity monitors"
has "but not where there are none" "$report" '- +type .*: amu: not on cpu 0,3,7: no activity monitors'
has "nor where they trap" "$report" '- +type .*: amu: not on cpu 6: reading the activity monitors traps'

rm -f /tmp/csv
emulate freeze 1
m1top stat --format csv -o /tmp/csv --force -I 500 \
	-e activity/active-cycles/,activity/active-time/,activity/active-instructions/,activity/aux-0x302/ \
	>/dev/null 2>/tmp/err &
pid=$!
await has_tick 2
for cpu in 1 2 4 5; do
	emulate mon $cpu 0 $((3000000000 + cpu))
	emulate mon $cpu 1 625000
	emulate mon $cpu 2 $((7000000000 + cpu))
	emulate mon $cpu 6 $((300 + cpu))
done
await_more 3
stop $pid
emulate freeze 0
for cpu in 1 2 4 5; do
	is "exactly, CPU $cpu" "$(for e in active-cycles active-time active-instructions aux-0x302; do
		said $cpu $e; done | paste -sd ' ')" \
		"$((3000000000 + cpu)) 10000000 $((7000000000 + cpu)) $((300 + cpu))"
done
for cpu in 0 3 6 7; do
	is "CPU $cpu: not supported, never 0" "$(for e in active-cycles active-instructions aux-0x302; do
		said $cpu $e; done | sort -u)" not_supported
done
busy 3
within "Utilisation of one without comes from idle times, %/1000" \
	"$(m1top stat --format csv -I 1000 -n 2 -C 3 -M Utilisation 2>/dev/null |
		awk -F, '$8 == "Utilisation" && $12 == "ok" { v = $9 } END { printf "%d", v * 1000 }')" 90000 102000
idle
out=$(m1top stat -n 1 -I 300 -e activity/active-instructions/ 2>&1)
has "in the table, too" "$out" 'cpu3 .*n/s'

echo 0 >/sys/devices/system/cpu/cpu5/online
echo 1 >/sys/devices/system/cpu/cpu5/online
has "a CPU that was away is asked again" "$(m1pmu amu 5)" '^5 3 '
rmmod m1pmu
finish
