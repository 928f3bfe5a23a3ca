#!/bin/sh
# last but one: the kernel's own driver is bound while a session has the registers
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

if [ ! -e /lib/modules/apple_m1_pmu_test.ko ]; then
	skip "a driver that is bound later" "the driver is built in"
	finish
fi
insmod /lib/modules/m1pmu.ko
m1pmu hold >/tmp/held &
await grep -q program /tmp/held
load_driver
is "the stock driver loads" $? 0
wait $!
is "the owner gets ECANCELED, others EACCES, and the driver keeps the PMU" "$(sed 1,2d /tmp/held)" \
	"read: Operation canceled
program: Operation canceled
acquire: Operation canceled
another reads: Permission denied
release: Success
acquire: Device or resource busy"
has "the kernel log says why" "$(dmesg)" "m1pmu: the kernel's own driver takes the PMU: the registers are put back"
finish
