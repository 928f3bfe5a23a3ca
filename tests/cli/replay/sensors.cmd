# the readings of a session's sensors: in its replay, in the same session written again, in the report; a missing one is not 0
m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles -n 3 -o sim.csv
awk -F, '/^# type/ { $0 = $0 (/type P/ ? " max_mhz=3204" : " max_mhz=2064") }
	/^# literals/ && !head++ {
		print "# sensor power name=\"macsmc_hwmon-isa-0000/Total System Power\" unit=W"
		print "# sensor temperature name=\"macsmc_hwmon-isa-0000/Battery Temp\" unit=°C"
		print "# sensor fan name=\"macsmc_hwmon-isa-0000/Fan 1\" unit=RPM"
	}
	function readings(tick) {
		print tick "," tick ".000000000,,,sensor,0,,macsmc_hwmon-isa-0000/Total System Power," 8 + tick / 10 ",,,ok,"
		print tick "," tick ".000000000,,,sensor,1,,macsmc_hwmon-isa-0000/Battery Temp,45.5,,,ok,"
		print tick "," tick ".000000000,,,sensor,2,,macsmc_hwmon-isa-0000/Fan 1," (tick < 3 ? "2160,,,ok," : ",,,lost,")
	}
	/^[0-9]/ && $1 != tick { if (tick) readings(tick); tick = $1 }
	{ print }
	END { readings(tick) }' sim.csv >run.csv
m1top replay run.csv --to-stat --by type
m1top replay run.csv --to-stat --format csv | cmp - run.csv && echo same
m1top report run.csv | sed -n '/sensor/,/^$/p'
m1top replay run.csv --to-stat -j --by system | grep '"sensor"'
m1top report run.csv --json | grep -o '{"sensor"[^}]*}'
# one label twice, as earlier versions wrote it
sed 's|fan name="\(.*\)Fan 1" unit=RPM|temperature name="\1Battery Temp" unit=°C|; s|/Fan 1,|/Battery Temp,|' run.csv >twice.csv
m1top report twice.csv | sed -n '/sensor/,/^$/p'
m1top replay twice.csv --to-stat --format csv >again.csv
m1top replay again.csv --to-stat --format csv | cmp - again.csv && grep -c 'Battery Temp 2,' again.csv
sed 's/sensor fan/sensor thrust/' run.csv >unknown.csv
m1top report unknown.csv
sed 's|^2,\(.*\)Fan 1,|2,\1Fan 2,|' run.csv >other.csv
m1top report other.csv >/dev/null
sed 's|^1,\(.*\)Fan 1,2160|1,\1Fan 1,fast|' run.csv >words.csv
m1top report words.csv >/dev/null
