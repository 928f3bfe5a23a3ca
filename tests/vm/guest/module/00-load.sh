#!/bin/sh
# the module loads where the kernel's own driver is kept away, and can be loaded once only with a PMU
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

insmod /lib/modules/m1pmu.ko 2>/dev/null
is "registers that trap, as long as nobody plays them: ENODEV" $? 19
has "the kernel log says which" "$(dmesg | grep m1pmu:)" 'reading PMCR0 traps'
load_emulation
is "the emulation loads" $? 0
insmod /lib/modules/m1pmu.ko l2c_bit=22 2>/dev/null
is "another bit for L2C events is refused: EINVAL" $? 22
insmod /lib/modules/m1pmu.ko
is "the module loads" $? 0
has "and says for what" "$(dmesg)" 'm1pmu: ABI 1, M1'
is "its device is there, for root" "$(stat -c '%a %u' /dev/m1pmu)" "600 0"
finish
