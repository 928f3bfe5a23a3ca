#!/bin/sh
# doctor --selfcheck through the kernel's driver: both core types, each by its own events. What the
# emulation counts goes by time and not by instructions, so that it is far from true, and marked.
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

m1top doctor --selfcheck --quick >/tmp/check 2>&1
is "it ends well" $? 0
for type in "cpu 3, type E" "cpu 7, type P"; do
	report=$(sed -n "/^Counts on $type/,/^Counts on cpu 7\|^What/p" /tmp/check)
	has "$type: instructions" "$report" '! +nop +INST_ALL +[1-9][0-9]+ +112500 +\+[0-9.]+ %'
	has "$type: loads" "$report" '! +load +INST_INT_LD +[1-9][0-9]+ +100000 '
	has "$type: stores" "$report" '! +store +INST_INT_ST +[1-9][0-9]+ +100000 '
	has "$type: page faults" "$report" 'ok page-fault .* \+0\.00 %'
	own=$(sed -n "/^What m1top.s own threads took .*$type/,/^What m1top.s .* type P/p" /tmp/check)
	has "$type: of that, m1top's own instructions" "$own" 'INST_ALL +[0-9.]+ % +[0-9.]+ % +[0-9.]+ %'
	has "$type: what sampling costs" "$(cat /tmp/check)" "adds to the CPU time, .* of work on $type"
done
report=$(cat /tmp/check)
for kernel in l2-miss branch-random; do
	has "$kernel has a row, too" "$report" "$kernel +[-+][0-9.]+ % +[-+][0-9.]+ % +[-+][0-9.]+ % +[0-9.]+ %"
done
sed 's/^/# /' /tmp/check
finish
