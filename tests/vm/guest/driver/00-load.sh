#!/bin/sh
# the driver goes in first, as a built-in one would be there first, and the emulation gives it registers
. /vm/lib.sh

load_driver
[ ! -e $pmus/apple_firestorm_pmu ]
is "no Apple PMU before the emulation" $? 0
load_emulation
is "the emulation loads" $? 0
is "both PMUs are there, each on its own cores" \
	"$(cat $pmus/apple_icestorm_pmu/cpus) $(cat $pmus/apple_firestorm_pmu/cpus)" "0-3 4-7"
finish
