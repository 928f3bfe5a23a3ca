#!/bin/sh
# m1pmu stays away from a PMU that the kernel's own driver has
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

emulate clearlog
insmod /lib/modules/m1pmu.ko 2>/dev/null
is "the module is refused beside the stock driver: EBUSY" $? 16
has "and the kernel log says how to boot" "$(dmesg)" 'm1pmu: .*initcall_blacklist=m1_pmu_driver_init'
insmod /lib/modules/m1pmu.ko amu=1
is "for the activity monitors it may load" $? 0

has "but nobody gets the PMU: EBUSY" "$(m1pmu acquire)" 'acquire: Device or resource busy'
has "and whoever asks is told that a driver has it" "$(m1pmu)" ' driver '
is "no register was written" "$(grep -c 'MSR.*insmod' $emu/log)" 0
rmmod m1pmu
finish
