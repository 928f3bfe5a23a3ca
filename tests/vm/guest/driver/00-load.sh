#!/bin/sh
# the driver goes in first, as a built-in one would be there first, and the emulation gives it registers
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

load_driver
is "the stock driver loads" $? 0
is "no Apple PMU before the emulation" "$(find "$pmus/" -name "apple_*")" ""
pmc 0 0 >/dev/null 2>&1
is "the registers are not there: SIGILL" $? 132
load_emulation
is "the emulation loads" $? 0
is "both PMUs are there, each on its own cores" \
	"$(cat "$pmus/apple_icestorm_pmu/cpus") $(cat "$pmus/apple_firestorm_pmu/cpus")" "0-3 4-7"
midr=regs/identification/midr_el1
is "E and P cores tell who they are" \
	"$(cat /sys/devices/system/cpu/cpu0/$midr) $(cat /sys/devices/system/cpu/cpu7/$midr)" \
	"0x00000000611f0221 0x00000000611f0231"
finish
