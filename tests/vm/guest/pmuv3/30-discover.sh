#!/bin/sh
# m1top finds by experiment which ids count instructions and cycles, and claims nothing else
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
report=/tmp/report.json

discover() { # options
	m1top discover --quick "$@" -o $report --force >/tmp/out 2>/tmp/err
	is "m1top discover $1 $2 ends well" "$? $(cat /tmp/err)" "0 "
}

# qemu's instruction takes 4 ns, its cycle is one: whichever of the two an id counts, it is in
# proportion to the other.
truth="cpu 0x08 nop consistent 1
cpu 0x11 nop cycles 4"

# Kernels that enter the system take three quarters of the time: below, with few ids.
in_system='system-call|page-fault|context-switch'
m1top discover --list-kernels | awk '$2 == "yes" { print $1 }' | grep -vxE "$in_system" >/tmp/kernels
discover --ids 0x00-0xff --kernels "$(tr '\n' , </tmp/kernels | sed 's/,$//')"
is "of 256 ids two respond: instructions retired, 1 per nop, and cycles" "$(found_responses $report)" "$truth"
has "tried with all kernels at user level" "$(cat /tmp/out)" "256 ids, $(wc -l </tmp/kernels) kernels, .*: 2 ids respond"
has "in proportion to cycles too, which is said" "$(cat /tmp/out)" \
	'^cpu +0x08 +INST_RETIRED .* nop +k=1 +1\.0000+ \(0\.99[0-9]+ to 1\.00[0-9]+\); always 0\.25 per cycle$'
has "and cycles are cycles" "$(cat /tmp/out)" '^cpu +0x11 +CPU_CYCLES .* all +cycles +1 per cycle$'
is "CHAIN alone is not known, and by none of them: the driver takes it, and it never runs" \
	"$(sed -n 's/.*"id": "\([^"]*\)", "verdict": "unknown".*/\1/p' $report | sort -u)" 0x1e

# What happens in the operating system is of no simple factor, but in instructions and time all the same.
discover --ids 0x03,0x04,0x08,0x10,0x11,0x12
is "of all kernels at user level nop alone has more instructions than its control" \
	"$(found_responses $report | grep -vE " ($in_system) ")" "$truth"
is "those in the system are not claimed for another id" \
	"$(found_responses $report | cut -d' ' -f2,4 | sort -u)" "0x08 consistent
0x08 related
0x11 cycles"
has "no run moved to another CPU" "$(cat $report)" '"rejected": \{"migrated": 0,'
finish
