#!/bin/sh
# m1top with no options finds all cores and shows the rates that the emulation counts at
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

busy 1 5
m1top stat -I 500 -n 5 --budget 100 --format csv >/tmp/csv 2>/tmp/err
is "m1top stat ends well" $? 0
m1top stat -I 500 -n 2 --budget 100 >/tmp/table 2>>/tmp/err
idle

is "all eight cores, E and P" \
	"$(sed -n 's/^# cpu \([0-9]*\) type=\([A-Z]\).*/\1\2/p' /tmp/csv | tr '\n' ' ')" \
	"0E 1E 2E 3E 4P 5P 6P 7P "
is "in two clusters" "$(grep -c 'cpu [0-3] .*cluster=0' /tmp/csv) $(grep -c 'cpu [4-7] .*cluster=1' /tmp/csv)" "4 4"
is "each core type by its own PMU" \
	"$(grep '^[0-9]' /tmp/csv | cut -d, -f3,4,5 | sort -u | tr '\n' ' ')" \
	"0,E,apple_icestorm_pmu 1,E,apple_icestorm_pmu 2,E,apple_icestorm_pmu 3,E,apple_icestorm_pmu 4,P,apple_firestorm_pmu 5,P,apple_firestorm_pmu 6,P,apple_firestorm_pmu 7,P,apple_firestorm_pmu "
is "every row counted" "$(grep '^[0-9]' /tmp/csv | cut -d, -f12 | sort -u)" ok
within "ten counters on every core: rows" "$(grep -c '^[2-4],' /tmp/csv)" 160 240
within "P core: cycles a millisecond" "$(rate 5 CORE_ACTIVE_CYCLE)" 3172000 3236000
within "P core: instructions a millisecond" "$(rate 5 INST_ALL)" 7930000 8090000
within "P core: branches a millisecond" "$(rate 5 INST_BRANCH)" 1586000 1618000
within "E core: cycles a millisecond" "$(rate 1 CORE_ACTIVE_CYCLE)" 2043000 2085000
within "E core: instructions a millisecond" "$(rate 1 INST_ALL)" 2452000 2501000
has "the table shows the P core's IPC and cycles" "$(cat /tmp/table)" 'P cpu5 +2\.(4[5-9]|5[0-5]) +3\.[12][0-9]G'
has "and the E core's" "$(cat /tmp/table)" 'E cpu1 +1\.(1[89]|2[0-2]) +2\.[01][0-9]G'
lacks "never <not counted>, no message" "$(cat /tmp/table /tmp/err)" 'not counted|m1top:'
finish
