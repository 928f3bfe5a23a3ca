#!/bin/sh
# every preset: the stock driver takes it on all eight cores, and each column counts its own event
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

presets() { # name, events, one line each
	m1top list presets --json |
		sed -n 's/.*"name": "\([^"]*\)".*"events": "\([^"]*\)".*/\1 \2/p'
}

# What is wrong in the log. Who is late is in the next tick: of a core one is enough. All counters of a core are read at one moment, so their counts have the ratio of the
# emulation's rates to a count or two, busy or not: another event, or a counter that was multiplexed, has not.
faults() { # events
	awk -v events="$*" '
		function value(key, rest) {
			rest = $0
			sub(".* " key "=", "", rest)
			sub(" .*", "", rest)
			return rest
		}
		FILENAME != "/tmp/csv" { rate[$1, $2] = $3; next }
		/^# set/ {
			event[value("type"), value("slot")] = value("event")
			id[value("type"), value("slot")] = value("config")
		}
		!/^[0-9]/ { next }
		{ split($0, row, ","); cpu = row[3]; type = row[4]; slot = row[6] }
		row[5] == "metric" { next }
		row[12] != "ok" || row[10] != row[11] { print "not counted all the time: " $0 }
		row[8] != event[type, slot] { print "not the event of its slot: " $0 }
		slot == 0 { seen = ""; cycles = row[9] }
		{
			seen = seen (slot == 0 ? "" : " ") row[8]
			due = cycles * rate[type, id[type, slot]] / rate[type, "0x2"]
			if (row[9] <= 0 || row[9] > due * 1.005 + 2 || row[9] < due * 0.995 - 2)
				print "not the " due " counts of " id[type, slot] ": " $0
		}
		seen == events { is_whole[cpu] = 1 }
		END { for (cpu = 0; cpu < 8; cpu++) if (!is_whole[cpu]) print "not every event on cpu " cpu }
	' $emu/rates /tmp/csv
}

presets >/tmp/presets
within "presets" "$(grep -c . /tmp/presets)" 20 99
while read -r name events; do
	m1top stat -P "$name" -I 20 -n 2 --budget 100 --format csv >/tmp/csv 2>/tmp/err
	# shellcheck disable=SC2086 # a list
	is "$name on eight cores" "$? $(cat /tmp/err) $(faults $events)" "0  "
done </tmp/presets
finish
