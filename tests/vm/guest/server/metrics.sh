# shellcheck shell=sh
# metrics.sh: each metric of Linux's files, by perf and by m1top
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# "tma_retiring 40.000000", of either: both write the same lines
values() { # file
	sed -nE 's/.*"metric-value" : "?([^",]*)"?, "metric-unit" : "([^"]* )?([^" ]*)".*/\3 \1/p' "$1"
}

# The window is long, so that what each does at its beginning and end weighs little. A machine that sleeps goes on at once.
by_perf() { # where, metrics
	# shellcheck disable=SC2086 # -C 0
	timeout 30 perf stat $1 -M "$2" -j -o /tmp/said sleep 4 2>/tmp/why && values /tmp/said
}

by_m1top() { # where, metrics
	# shellcheck disable=SC2086
	m1top stat --events-dir /vm/linux-events --by system $1 -M "$2" --split -j -n 1 -I 4000 >/tmp/said 2>/tmp/why && values /tmp/said
}

# Many at once; where one of them cannot be counted, each by itself.
count() { # by_perf or by_m1top, where, metrics
	if "$1" "$2" "$(echo "$3" | tr ' ' ,)"; then return; fi
	for metric in $3; do
		"$1" "$2" "$metric" || sed "s/^/$metric: /;q" /tmp/why >>"/tmp/refused.$1"
	done
}

# Names of those with another value, or that perf alone counts; then how many are the same, and how many m1top alone
# counts. What is no number is not there. Parts that neither counts at the same time make a value a little uncertain.
compare() {
	awk '
		function is_number(text) { return text ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ }
		function near(a, b) { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; return d <= .01 * b + .000002 }
		!is_number($2) || $1 == "(null)" { next }
		FNR == NR { perf[$1] = $2; next }
		{ m1top[$1] = $2 }
		END {
			for (name in perf) {
				if (name in m1top && near(m1top[name], perf[name])) same++
				else print name, "perf", perf[name], "m1top", m1top[name]
			}
			for (name in m1top) more += !(name in perf)
			print "same", same + 0, "more", more + 0
		}' /tmp/perf /tmp/m1top
}

# Those of Linux's files for this machine; on a hybrid one those of a type of core.
names() { # "" or cpu_core
	if [ -z "$1" ]; then
		perf list --raw-dump metrics | tr ' ' '\n' | grep .
	else
		awk -F'"' -v unit="$1" '
			$2 == "MetricName" { name = $4 }
			$2 == "Unit" { its = $4 }
			/^ *}/ { if (name ~ /^[^ ]+$/ && (its == unit || its == "")) print name; name = its = "" }
		' /vm/linux-events/x86/alderlake/adl-metrics.json
	fi
}

# Those of a file, a line at once.
count_all() { # where, file
	while read -r names; do
		count by_perf "$1" "$names" >>/tmp/perf
		count by_m1top "$1" "$names" >>/tmp/m1top
	done <"$2"
}

# All metrics. Where perf counts an event of devices for several metrics it adds some of them up twice: those that
# differ are asked for again, each by itself. What still differs is known, and why: differences.
compare_all() { # where: -a, -C 0; PMU of the metrics
	if ! command -v perf >/dev/null; then
		skip "m1top says what perf says" "perf could not be built: no source of Linux 6.12"
		return
	fi
	for file in perf m1top refused.by_perf refused.by_m1top; do
		: >/tmp/$file
	done
	names "$2" | sort -u | awk -v server="$SERVER" 'FNR == NR { known[$2] = $1 == server || known[$2]; next } !known[$1]' \
		/vm/server/differences - | xargs -n 10 >/tmp/names
	count_all "$1" /tmp/names
	compare | grep -v ^same | cut -d' ' -f1 >/tmp/again
	count_all "$1" /tmp/again
	compare >/tmp/result
	has "$1: $(tail -n 1 /tmp/result)" "$(tail -n 1 /tmp/result)" '^same [1-9][0-9]'
	is "$1: none is other than perf's" "$(grep -v ^same /tmp/result)" ""
	sort -u /tmp/refused.by_perf | sed 's/^/# perf refuses /'
	sort -u /tmp/refused.by_m1top | sed 's/^/# m1top refuses /'
	sed -n "s/^$SERVER /# differs: /p" /vm/server/differences
}
