#!/bin/sh
# the emulation counts by time alone, whatever runs: m1top says that, and invents nothing
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
report=/tmp/report.json
ids="0x02 0x0e 0x8c 0x95 0x96"

# In millionths of cycles, as the report has it.
per_cycle() { # type, id
	sed -n "s/.*\"type\": \"$1\", \"id\": \"$2\".*\"per_cycle\": \([0-9.]*\).*/\1/p" $report |
		awk '{ printf "%d", $1 * 1000000 + 0.5 }'
}

# As the emulation has it: counts and cycles a microsecond.
emulated() { # type, id
	awk -v type="$1" -v id="$(printf '%#x' "$2")" '$1 == type && $2 == "0x2" { cycles = $3 }
		$1 == type && $2 == id { counts = $3 } END { printf "%d", counts * 1000000 / cycles + 0.5 }' $emu/rates
}

# A nop is 4 ns, which is 12.8 and 8.3 cycles. It is 32.04 instructions of a P core, and 32 would be wrong to claim.
m1top discover --quick --ids "$(echo "$ids" | tr ' ' ',')" --kernels nop,load,call-return,system-call \
	-o $report --force >/tmp/out 2>/tmp/err
is "m1top discover ends well" "$? $(cat /tmp/err)" "0 "
is "nothing is claimed but time, for what takes longer than its control" \
	"$(found_responses $report | cut -d' ' -f3,4 | sort | uniq -c | sed 's/^ *//')" "10 nop cycles
10 system-call cycles"
for type in E P; do
	for id in $ids; do
		wanted=$(emulated $type "$id")
		within "$type $id: millionths of a cycle as emulated" "$(per_cycle $type "$id")" \
			$((wanted * 99 / 100)) $((wanted * 101 / 100))
	done
done
lacks "nothing is unknown" "$(cat $report)" '"unknown", "k"'
finish
