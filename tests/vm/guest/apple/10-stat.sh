#!/bin/sh
# m1top over the module shows the rates that the emulation counts at, as over the stock driver (driver/20-stat.sh)
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

busy 1 5
m1top stat -I 500 -n 5 --budget 100 --format csv >/tmp/csv 2>/tmp/err
is "m1top stat ends well" $? 0
m1top stat -I 500 -n 2 --budget 100 >/tmp/table 2>>/tmp/err
idle

is "it is the module that counts" "$(sed -n 's/.*backend \([a-z]*\).*/\1/p' /tmp/csv)" apple
is "all eight cores, E and P" \
	"$(sed -n 's/^# cpu \([0-9]*\) type=\([A-Z]\).*/\1\2/p' /tmp/csv | tr '\n' ' ')" \
	"0E 1E 2E 3E 4P 5P 6P 7P "
is "in two clusters" "$(grep -c 'cpu [0-3] .*cluster=0' /tmp/csv) $(grep -c 'cpu [4-7] .*cluster=1' /tmp/csv)" "4 4"
is "under the names of the kernel's own PMUs" \
	"$(grep '^[0-9]' /tmp/csv | cut -d, -f4,5 | sort -u | tr '\n' ' ')" \
	"E,apple_icestorm_pmu P,apple_firestorm_pmu "
is "counters of 48 bits" "$(sed -n 's/^# set .*\(width=[0-9]*\).*/\1/p' /tmp/csv | sort -u)" width=48
is "every row counted" "$(grep '^[0-9]' /tmp/csv | cut -d, -f12 | sort -u)" ok
# 1 %: the driver's figures are within 1 % of the same truth, so both are within 2 % of each other
within "P core: cycles a millisecond" "$(rate 5 CORE_ACTIVE_CYCLE)" 3172000 3236000
within "P core: instructions a millisecond" "$(rate 5 INST_ALL)" 7930000 8090000
within "P core: branches a millisecond" "$(rate 5 INST_BRANCH)" 1586000 1618000
within "E core: cycles a millisecond" "$(rate 1 CORE_ACTIVE_CYCLE)" 2043000 2085000
within "E core: instructions a millisecond" "$(rate 1 INST_ALL)" 2452000 2501000
has "the table shows the P core's IPC and cycles" "$(cat /tmp/table)" 'P cpu5 +2\.(4[5-9]|5[0-5]) +3\.[12][0-9]G'
has "and the E core's" "$(cat /tmp/table)" 'E cpu1 +1\.(1[89]|2[0-2]) +2\.[01][0-9]G'
lacks "never <not counted>, no message" "$(cat /tmp/table /tmp/err)" 'not counted|m1top:'

# 0x33 is in no list: the emulation counts 3204 * 0x33 / 1024 a microsecond
busy 5
m1top stat -C 5 -I 500 -n 4 --budget 100 -e cycles,apple_firestorm_pmu/event=0x33/ --format csv >/tmp/csv 2>/tmp/err
idle
within "an id that no list has: counts a millisecond" \
	"$(rate 5 apple_firestorm_pmu/event=0x33/)" 155000 163000
lacks "without a message" "$(cat /tmp/err)" 'm1top:'

# PMCR0 as it was written to start cycles (and instructions, if a metric wants them)
started() { # backend
	emulate clearlog
	m1top stat --backend "$1" -I 200 -n 1 --budget 100 -C 5 -e cycles >/dev/null 2>&1
	grep 'cpu5 EL1 MSR S3_1_C15_C0_0' $emu/log
}

has "l2c=cluster is bit 23" "$(started apple:l2c=cluster)" 'C0_0 0x80000[13]'
lacks "which is clear otherwise" "$(started apple)" 'C0_0 0x8.....'
finish
