#!/bin/sh
# doctor: the kernel's driver, what it can, and how to use the module instead
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

report=$(m1top doctor 2>&1)
has "E cores" "$report" 'apple_icestorm_pmu: the kernel.s driver owns it: use m1top --backend perf'
has "P cores" "$report" 'apple_firestorm_pmu: the kernel.s driver owns it'
has "events by id" "$report" 'counts by event id \(0x8d\): yes'
has "guests" "$report" 'takes exclude_guest=0: (yes; it can tell|.*; an older driver)'
has "without the extended type or with it" "$report" 'takes the extended hardware type: '
has "the module" "$report" 'module m1pmu: not loaded: sudo modprobe m1pmu'
has "which needs a boot without the driver" "$report" 'boot with initcall_blacklist=m1_pmu_driver_init'
has "user space cannot touch the PMU" "$report" 'PMCR0 bit 30 is clear'
has "nobody holds counters" "$report" 'no other users of counters'
finish
