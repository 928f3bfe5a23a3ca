#!/usr/bin/awk -f
# totals.awk: what each event of `perf stat -x SEP -I MS` comes to, all intervals together. Written
# from the section "CSV FORMAT" of perf-stat(1), for whatever prints that form.
#
# usage: awk -F';' -v before=N -f totals.awk [FILE]
#
# before: how many optional fields there are before the value: 1 with -I, 2 with -A too, 3 with
# --per-core and the like. Prints "CPU EVENT TOTAL UNIT", CPU "all" without such a field.

/^#/ || NF < before + 5 { next } # comments; headings and metrics alone
$1 ~ /summary/ { next }
{
	value = $(before + 1)
	unit = $(before + 2)
	event = $(before + 3)
	if (value == "" || value ~ /^</ || event == "")
		next # not counted, not supported, a metric alone
	cpu = before > 1 ? $2 : "all"
	total[cpu " " event] += value
	units[cpu " " event] = unit
}
END {
	for (key in total)
		printf "%s %.2f %s\n", key, total[key], units[key] | "sort"
}
