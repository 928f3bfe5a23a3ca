#!/bin/sh
# a guest with an Apple MIDR whose hypervisor traps the PMU registers: all, or all but PMCR0 (see machine.py)
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

insmod /lib/modules/m1pmu.ko 2>/dev/null
is "the module is refused: ENODEV" $? 19
has "the kernel log says which register, and what that means" "$(dmesg | grep m1pmu:)" \
	'reading PMCR[01] traps: .*virtual machine'
insmod /lib/modules/m1pmu.ko amu=1
is "with amu=1 it loads" $? 0
has "without the PMU" "$(m1pmu)" '^abi 1: amu no-el3 pid 0'
has "which nobody can acquire: ENODEV, and no undefined instruction" "$(m1pmu acquire)" \
	'acquire: No such device'
rmmod m1pmu
is "it goes again" $? 0

insmod /lib/modules/apple_pmu_emu.ko amu=0-7 amu_traps=0-7
insmod /lib/modules/m1pmu.ko amu=1
is "monitors that are said to be there and trap on every CPU: it loads" $? 0
has "the kernel log says which register" "$(dmesg | grep m1pmu:)" 'reading AMCFGR_EL0 traps'
has "and nobody reads them: ENXIO, and no undefined instruction" "$(m1pmu amu)" 'amu: No such device or address'
finish
