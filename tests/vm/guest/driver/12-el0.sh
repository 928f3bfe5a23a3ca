#!/bin/sh
# reading and writing the counters without a system call: refused, until PMCR0[30] opens it
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

status() { # command: its exit status, 132 for SIGILL
	"$@" >/dev/null 2>&1
	echo $?
}

is "MRS at EL0 is SIGILL while PMCR0[30] is clear" "$(status pmc 3 0)" 132
refused=
for cpu in 0 1 2 3 4 5 6 7; do
	emulate reg $cpu PMCR0 0x40000000
	emulate pmc $cpu 9 $((1000 + cpu))
	[ "$(pmc $cpu 9)" = $((1000 + cpu)) ] || refused="$refused $cpu"
done
is "with it set every core reads its own PMC9" "$refused" ""
emulate clearlog
is "and writes: MSR at EL0" "$(pmc 5 8 12345)" 12345
has "which the log of register accesses has" "$(cat "$emu/log")" \
	'cpu5 EL0 MSR S3_2_C15_C9_0 0x3039 pmc'
for cpu in 0 1 2 3 4 5 6 7; do
	emulate reg $cpu PMCR0 0
done
is "SIGILL again after" "$(status pmc 3 0)" 132
finish
