#!/bin/sh
# driver-masks.sh DRIVER.c: a line for each event id of Linux's Apple driver: the id and the counters
# that it takes it on, both in hexadecimal
#
# The table is compiled as it stands there.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
	echo '#include <stdio.h>'
	echo 'typedef unsigned short u16;'
	echo '#define BIT(n) (1u << (n))'
	echo '#define GENMASK(high, low) ((~0u >> (31 - (high))) & (~0u << (low)))'
	sed -n '/^#define M1_PMU_NR_COUNTERS/p; /^#define ANY_BUT_0_1/,/^#define ONLY_5_6_7/p' "$1"
	sed -n '/^#define M1_PMU_CFG_EVENT/p; /^enum m1_pmu_events {/,/^};/p' "$1"
	sed -n '/^static const u16 m1_pmu_event_affinity\[/,/^};/p' "$1"
	cat <<-'END'
		int main(void)
		{
			for (int i = 0; i < 256; i++)
				printf("0x%02x 0x%03x\n", i, m1_pmu_event_affinity[i]);
		}
	END
} >"$work/table.c"
cc -w -o "$work/table" "$work/table.c"
"$work/table"
