#!/bin/sh
# every event at once while the load changes: the estimates beside what the emulation counts, and beside scaling by time
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

duty 1 30 70 &
duty 5 20 50 &
m1top stat -P all -C 1,5 -I 1000 -n 5 --budget 100 --format csv >/tmp/csv 2>/tmp/err
is "stat -P all ends well" $? 0
kill %1 %2
m1top replay --to-stat --format json /tmp/csv >/tmp/json
is "and is replayed" $? 0

# Each event has a fixed rate per cycle here, and the cycles of all mux groups are those of the window.
awk -F, '
	function value(key, rest) {
		rest = $0
		sub(".* " key "=", "", rest)
		sub(" .*", "", rest)
		return rest
	}
	function json(key, rest) {
		rest = $0
		if (!sub(".*\"" key "\" : \"?", "", rest)) return ""
		sub("[\",}].*", "", rest)
		return rest
	}
	function distance(got, true) { return got > true ? got - true : true - got }
	FILENAME ~ /rates$/ { split($0, word, " "); rate[word[1], word[2]] = word[3]; next }
	FILENAME == "/tmp/csv" && /^# set/ { id[value("type"), value("slot")] = value("config") }
	FILENAME == "/tmp/csv" && (!/^[0-9]/ || $5 == "metric" || $7 != "" || $12 != "scaled") { next }
	FILENAME == "/tmp/csv" {
		row = $3 "," $6 "," ++n[$3, $6]
		window = $3 "," n[$3, $6]
		type[row] = $4
		by_time[row] = $9 * $10 / $11
		if (id[$4, $6] == "0x2") { cycles[window] += $9; counted[window] += $11; enabled[window] = $10 }
		next
	}
	json("quality") == "scaled" {
		cpu = json("cpu"); slot = json("slot")
		row = cpu "," slot "," ++m[cpu, slot]
		window = cpu "," m[cpu, slot]
		event = id[type[row], slot]
		if (!(row in type) || !((type[row], event) in rate) || event == "0x2") next
		true = cycles[window] * enabled[window] / counted[window] * rate[type[row], event] / rate[type[row], "0x2"]
		if (true < 1000) next
		ours = distance(json("counter-value") + 0, true)
		sum += ours / true; sum_by_time += distance(by_time[row], true) / true
		inside += ours <= true * (json("error-pct") + 0.1) / 100
		n_figures++; events[event]
	}
	END {
		for (event in events) n_events++
		printf "%d %d %d %d %d\n", n_events, n_figures, n_figures ? inside / n_figures * 1000 : 0,
			n_figures ? sum / n_figures * 10000 : 0, n_figures ? sum_by_time / n_figures * 10000 : 0
	}' $emu/rates /tmp/csv /tmp/json >/tmp/figures
read -r n_events n_figures inside ours by_time </tmp/figures
echo "# $n_events events, $n_figures figures, $inside of 1000 within the error; mean error by cycles $ours, by time $by_time, in 0.01 %"
within "events" "$n_events" 50 200
within "figures" "$n_figures" 300 100000
within "of 1000 within their error" "$inside" 930 1000
within "mean error in 0.01 %, not above that of scaling by time" "$ours" 0 "$by_time"
finish
