#!/bin/sh
# the kernel's own driver stays away, so the registers are the module's
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

load_emulation
insmod /lib/modules/m1pmu.ko
is "the module loads" $? 0
has "m1top takes it by itself" "$(m1top list backends)" 'apple '
has "and says whether perf could be had instead" "$(m1top doctor)" 'apple: .*in use'
finish
