#!/bin/sh
# the module stays as long as somebody has it open, and leaves nothing behind
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

registers() {
	sed 's/.*\( PMCR0\)/\1/; s/ AMU0.*//' $emu/regs
}

emulate freeze 1
emulate reg 4 PMESR1 0x55667788
before=$(registers)
exec 9</dev/m1pmu
has "unloading is refused while it is open" "$(rmmod m1pmu 9<&- 2>&1)" 'temporarily|busy|unavailable'
exec 9<&-
rmmod m1pmu
is "and done when it is closed" $? 0
is "the device is gone" "$(ls /dev/m1pmu 2>/dev/null)" ""
is "all registers as before" "$(registers)" "$before"
insmod /lib/modules/m1pmu.ko
is "it loads again" $? 0
rmmod m1pmu
emulate freeze 0
finish
