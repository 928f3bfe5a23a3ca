#!/bin/sh
# a machine that is not Apple's: no PMU for m1pmu, activity monitors by request
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

column() { # n
	echo "$line" | cut -d' ' -f"$1"
}

insmod /lib/modules/m1pmu.ko 2>/dev/null
is "the module is refused: ENODEV" $? 19
has "and the kernel log says why" "$(dmesg)" 'm1pmu: this CPU .MIDR 0x41.fd0c1. is not an Apple core'
insmod /lib/modules/m1pmu.ko amu=1
is "with amu=1 it loads" $? 0
has "there is no PMU" "$(m1pmu)" '^abi 1: amu no-el3 pid 0'
has "none to be acquired: ENODEV" "$(m1pmu acquire)" 'acquire: No such device'
has "and no activity monitors on this machine" "$(m1pmu amu)" 'amu: Operation not supported'
rmmod m1pmu

insmod /lib/modules/apple_pmu_emu.ko amu=0-7
insmod /lib/modules/m1pmu.ko amu=1
line=$(m1pmu amu)
has "with monitors: CPU 0, four fixed and three auxiliary, all enabled" "$line" '^0 3 [0-9]+ 0x10003f06 0x304 0x7000f '
since=$(column 3) cycles=$(column 7) constant=$(column 8) instructions=$(column 9)
busy 0
sleep 0.5
line=$(m1pmu amu)
idle
us=$((($(column 3) - since) / 1000))
within "the constant counter counts at the system counter's rate, the core being busy: ticks per ms" \
	$((($(column 8) - constant) * 1000 / us)) 52000 63500
within "instructions per 1000 cycles" $((($(column 9) - instructions) * 1000 / ($(column 7) - cycles))) \
	1180 1220
rmmod m1pmu
finish
