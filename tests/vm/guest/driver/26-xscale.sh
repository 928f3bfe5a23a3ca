#!/bin/sh
# the XScale modes: each metric is what follows from the rates that the emulation was told
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# Event, counts a microsecond on a P and on an E core (which have 3204 and 2064 cycles). Plausible ones, and no two alike.
told() {
	cat <<-END
		0x05  91  53
		0x07  23  27
		0x08  43  31
		0x0a  29  33
		0x0b  61  37
		0x70 256 430
		0x76 641 829
		0x8c 8010 2476
		0x9b 2403 811
		0xa2  71  41
		0xa3 193  83
		0xa6 1801 557
		0xa7 797 239
		0xa8  97  45
		0xbf 131  59
		0xc0  47  39
		0xc1  83  49
		0xcb  40  35
		0xd4  67  51
		0xd6 311 197
		0xdb 113  63
	END
}

# Preset or mode, metric, factor, events / events or t, microseconds. From the manual's chapter 8 and the events' numbers, not
# from our files.
truth() {
	cat <<-END
		xscale-icache    xscale_icache_miss_ratio 100  db    / 8c
		xscale-icache    CPI                     1    02    / 8c
		xscale-icache    IPC                     1    8c    / 02
		xscale-icache    l1i_mpki                1000 db    / 8c
		xscale-dcache    xscale_dcache_miss_ratio 100  bf+c0 / 9b
		xscale-dcache    l1d_spec_miss_ratio     100  a3+a2 / a6+a7
		xscale-dcache    l1d_load_mpki           1000 bf    / 8c
		xscale-dcache    l1d_store_mpki          1000 c0    / 8c
		xscale-dcache    l1d_misses_per_retired          1    a3    / bf
		xscale-fetch     xscale_fetch_latency    1    d6    / db
		xscale-fetch     xscale_fetch_share      100  d6    / 02
		xscale-fetch     l1i_mpki                1000 db    / 8c
		xscale-fetch     l1i_tlb_mpki            1000 d4    / 8c
		xscale-fetch     branch_mpki             1000 cb    / 8c
		bus       xscale_bus_share        100  70    / 02
		bus       stall_share             100  76    / 02
		bus       stall_other_share       100  76-70 / 02
		writeback xscale_stall_share      100  76    / 02
		writeback xscale_writeback_pki    1000 a8    / 8c
		writeback l1d_writeback_bandwidth 64   a8    / t
		itlb      xscale_itlb_miss_ratio   100  d4    / 8c
		itlb      CPI                     1    02    / 8c
		itlb      l2_tlb_inst_mpki        1000 0a    / 8c
		itlb      walk_inst_pki           1000 07    / 8c
		dtlb      xscale_dtlb_miss_ratio   100  c1    / 9b
		dtlb      l1d_tlb_fill_ratio      100  05    / a6+a7
		dtlb      l2_tlb_data_miss_ratio  100  0b    / 05
		dtlb      walk_data_pki           1000 08    / 8c
		xscale           xscale_icache_miss_ratio 100  db    / 8c
		xscale           CPI                     1    02    / 8c
		xscale           xscale_dcache_spec_miss_ratio 100 a3+a2 / a6+a7
		xscale           xscale_fetch_latency    1    d6    / db
		xscale           xscale_fetch_share      100  d6    / 02
		xscale           xscale_itlb_miss_ratio   100  d4    / 8c
		xscale           xscale_dtlb_spec_miss_ratio 100 05 / a6+a7
		xscale-stall     xscale_bus_share        100  70    / 02
		xscale-stall     xscale_stall_share      100  76    / 02
		xscale-stall     xscale_writeback_pki    1000 a8    / 8c
		xscale-stall     l1d_writeback_bandwidth 64   a8    / t
		xscale-stall     l1d_tlb_mpki            1000 c1    / 8c
		xscale-stall     l2_tlb_data_mpki        1000 0b    / 8c
		xscale-stall     l2_tlb_inst_mpki        1000 0a    / 8c
		xscale-stall     bubble_share            100  d6    / 02
		xscale-stall     bubble_per_l1i_miss     1    d6    / db
		xscale-stall     CPI                     1    02    / 8c
	END
}

metrics_of() { # mode: "a,b,c"
	truth | awk -v mode="$1" '$1 == mode { printf "%s%s", n++ ? "," : "", $2 }'
}

# The metrics that the preset names itself.
metrics_named() { # mode
	m1top list presets --json | sed -n "s/.*\"name\": \"$1\".*\"metrics\": \"\([^\"]*\)\".*/\1/p" | tr ' ' ,
}

# Rows of the log that are not within 1 % of the truth. Who is late is in the next tick: of a core one is enough.
faults() { # mode
	truth | awk -v mode="$1" '
		function sum(terms, type, n, i, id, total) {
			gsub("-", "+-", terms)
			n = split(terms, id, "+")
			for (i = 1; i <= n; i++)
				total += sub("-", "", id[i]) ? -rate[type, id[i]] : rate[type, id[i]]
			return total
		}
		function due(type, metric) {
			if (below[metric] != "t")
				return factor[metric] * sum(above[metric], type) / sum(below[metric], type)
			return factor[metric] * sum(above[metric], type) * (cycles / rate[type, "02"]) / (row[11] / 1000)
		}
		FILENAME ~ /rates$/ { sub("0x", "", $2); rate[$1, length($2) < 2 ? "0" $2 : $2] = $3; next }
		FILENAME == "-" {
			if ($1 == mode) {
				factor[$2] = $3
				above[$2] = $4
				below[$2] = $6
			}
			next
		}
		!/^[0-9]/ { next }
		{ split($0, row, ",") }
		row[6] == 0 && row[5] != "metric" { cycles = row[9] }
		row[5] == "metric" {
			wanted = due(row[4], row[8])
			# an upper bound is an estimate
			if (row[12] != (row[8] ~ /xscale_fetch_latency|per_l1i_miss/ ? "scaled" : "ok") || wanted <= 0 || row[9] < wanted * 0.99 || row[9] > wanted * 1.01)
				print "not " wanted ": " $0
			seen[row[3], row[8]] = 1
		}
		END {
			for (metric in factor)
				for (cpu = 0; cpu < 8; cpu++)
					if (!seen[cpu, metric])
						print "nothing of " metric " on cpu " cpu
		}
	' $emu/rates - /tmp/csv
}

told | while read -r event p_rate e_rate; do
	emulate rate P "$event" "$p_rate"
	emulate rate E "$event" "$e_rate"
done
modes=$(truth | cut -d' ' -f1 | uniq)
is "the truth of every preset is here" "$(m1top list presets --json | sed -n 's/.*"name": "\(xscale[^"]*\)".*/\1/p' | sort)" \
	"$(echo "$modes" | grep xscale | sort)"
for mode in $modes; do
	preset=
	case $mode in
	xscale*)
		is "$mode: its metrics" "$(metrics_named "$mode" | tr , '\n' | sort)" "$(metrics_of "$mode" | tr , '\n' | sort)"
		preset="-P $mode"
		;;
	esac
	# shellcheck disable=SC2086 # an option and its value
	m1top stat $preset -M "$(metrics_of "$mode")" -I 50 -n 2 --budget 100 --format csv >/tmp/csv 2>/tmp/err
	is "$mode: $(metrics_of "$mode" | tr , ' ')" "$? $(cat /tmp/err) $(faults "$mode")" "0  "
done
emulate rates
finish
