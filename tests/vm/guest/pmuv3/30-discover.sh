#!/bin/sh
# m1top finds by experiment which ids count instructions and cycles, and claims nothing else
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
report=/tmp/report.json

discover() { # options
	m1top discover --quick "$@" -o $report --force >/tmp/out 2>/tmp/err
	is "m1top discover $* ends well" "$? $(cat /tmp/err)" "0 "
}

# qemu's instruction takes 4 ns, its cycle is one: whichever of the two an id counts, it is in
# proportion to the other.
truth="cpu 0x08 nop consistent 1
cpu 0x11 nop cycles 4"

discover --ids 0x00-0xff --kernels nop,add,load,store,branch-predicted,call-return
is "of 256 ids two respond: instructions retired, 1 per nop, and cycles" "$(found_responses $report)" "$truth"
has "in proportion to cycles too, which is said" "$(cat /tmp/out)" \
	'^cpu +0x08 +INST_RETIRED .* nop +k=1 +1\.0000 \(0\.999[0-9] to 1\.000[0-9]\); always 0\.25 per cycle$'
has "and cycles are cycles" "$(cat /tmp/out)" '^cpu +0x11 +CPU_CYCLES .* all +cycles +1 per cycle$'
is "CHAIN alone is not known: the driver takes it, and it never runs" \
	"$(sed -n 's/.*"id": "\([^"]*\)", "verdict": "unknown".*/\1/p' $report | sort -u)" 0x1e

# What happens in the operating system is of no simple factor, but in instructions and time all the same.
discover --ids 0x03,0x04,0x08,0x10,0x11,0x12
is "of all kernels at user level nop alone has more instructions than its control" \
	"$(found_responses $report | grep -vE ' (system-call|page-fault|context-switch) ')" "$truth"
is "those in the system are not claimed for another id" \
	"$(found_responses $report | cut -d' ' -f2,4 | sort -u)" "0x08 consistent
0x08 related
0x11 cycles"
has "no run moved to another CPU" "$(cat $report)" '"rejected": \{"migrated": 0,'
finish
