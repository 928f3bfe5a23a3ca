#!/bin/sh
# doctor: the module's path, and who may touch the PMU
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

report=$(m1top doctor 2>&1)
has "both core types with who they are" "$report" 'type E: MIDR 0x611f0221, part 0x22, counters of 48 bits'
has "P cores too" "$report" 'type P: MIDR 0x611f0231, part 0x23, counters of 48 bits'
has "why the kernel's driver is not the way" "$report" "the kernel's driver has no Apple PMU"
has "the module's state and parameters" "$report" 'module m1pmu: live, amu=N, l2c_bit=23'
has "user space cannot touch the PMU" "$report" 'PMCR0 bit 30 is clear'
lacks "nothing is wrong" "$report" '^  !'
m1top stat --backend apple:el0 -I 500 --budget 100 -e cycles --format csv >/tmp/csv 2>&1 &
m1top=$!
await has_tick 1
report=$(m1top doctor 2>&1)
stop $m1top
has "while it is open, doctor says so" "$report" '! +PMCR0 bit 30 is set on cpu 0-7'
has "and who has it" "$report" "in use by m1top \\($m1top\\)"
finish
