# shellcheck shell=sh
# ticks.sh: what must hold of every log of these machines; after lib.sh

# Print what is wrong: a tick that does not follow the one before it; a CPU twice in a tick; more than one tick and a tenth of
# all without a CPU; a figure that is not ok; a clock that did not count its window; windows of a CPU that lack a quarter of
# one of 200 ms. These CPUs run by turns: one may answer later than 50 ms after its tick, and has a longer window in the next.
# Between two instructions others may have their turns, for some milliseconds; in 15 s the windows lacked 13.
disorder() { # log, CPUs below this
	awk -F, -v cpus="$2" '
		function differ(a, b, most) { return a - b > most || b - a > most } # s
		function close_tick() {
			if (!tick) return
			n_ticks++
			if (n != cpus) late[++n_late] = "tick " tick " has " n " CPUs"
		}
		!/^[0-9]/ || $5 != "software" || $7 != "" || $3 >= cpus { next }
		$12 != "ok" { print "not ok:", $0; next }
		$8 == "cpu-clock" && differ($9 / 1e9, $10 / 1e9, .01) { print "clock:", $0 }
		seen[$1, $3, $8]++ { print "twice:", $0 }
		$8 != "context-switches" { next }
		$1 != tick {
			close_tick()
			if ($1 != tick + 1) print "tick", tick, "then", $1
			tick = $1
			n = 0
		}
		{ n++ }
		$3 in first { sum[$3] += $10 / 1e9; last[$3] = $2; next }
		{ first[$3] = $2 }
		END {
			close_tick()
			for (i = 1; n_late > 1 + n_ticks / 10 && i <= n_late; i++) print late[i]
			for (cpu in sum)
				if (differ(last[cpu] - first[cpu], sum[cpu], .05)) print "windows of CPU", cpu, "last", sum[cpu], "s of", last[cpu] - first[cpu]
		}' "$1" | head -n 20
}

# The counts of an event after a tick, by CPU.
counted() { # event, log, tick
	awk -F, -v event="$1" -v tick="$3" '$8 == event && $7 == "" && $1 > tick { n[$3] += $9 } END { for (cpu in n) print cpu, n[cpu] }' "$2"
}

# CPUs with fewer page faults after a tick than those of known, or with too many more.
unknown_faults() { # log, tick
	counted page-faults "$1" "$2" | awk -v cpus="$SERVER" '
		$2 >= 50 * ($1 + 1) && $2 <= 50 * ($1 + 1) + 1000 { right++; next }
		{ print "CPU", $1, "has", $2 }
		END { if (right != cpus) print right + 0, "CPUs are right" }'
}

last_tick() { # of /tmp/csv, which is written once a second
	tail -n 1 /tmp/csv | sed -n 's/^\([0-9]*\),.*/\1/p'
}

is_past() { # tick
	[ "$(last_tick)" -ge "$1" ]
}
