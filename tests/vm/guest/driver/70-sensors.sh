#!/bin/sh
# emulated chips of sensors, and a PMU "power": m1top shows what they were told
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
if ! [ -e /lib/modules/i2c-stub.ko ] || ! [ -e /lib/modules/lm75.ko ]; then
	skip "sensors" "this kernel has no i2c-stub, or no lm75"
	finish
fi
insmod /lib/modules/i2c-dev.ko
insmod /lib/modules/i2c-stub.ko chip_addr=0x18,0x40,0x48
for name in jc42 ina2xx lm75; do insmod /lib/modules/$name.ko; done
bus=$(dirname "$(grep -l SMBus /sys/bus/i2c/devices/i2c-*/name | tail -n 1)")

# The most significant byte comes first, as most sensors have it.
put() { # address, register, 16 bits
	i2cset -f -y "${bus##*-}" "$1" "$2" $((($3 & 255) << 8 | $3 >> 8)) w
}

tell() { # power in 6.25 mW, temperatures in 1/256 and 1/16 degrees
	put 0x40 3 "$1" && put 0x48 0 "$2" && put 0x18 5 "$3"
}

tell 1344 $((45 * 256 + 128)) $((38 * 16 + 4))
is "the emulated chips take values" $? 0
for device in "jc42 0x18" "ina226 0x40" "lm75 0x48"; do echo "$device" >"$bus/new_device"; done
tell 1344 $((45 * 256 + 128)) $((38 * 16 + 4))
insmod /lib/modules/pmu_model.ko profile=power

read_of() { # sensor: what the table said of it last
	sed -n "s|^ *[0-9.]* [a-z]* *\([-0-9.]*\) [^ ]*  .*$1.*|\1|p" /tmp/table | tail -n 1
}

m1top stat --sensors -n 2 --by type >/tmp/table 2>/tmp/err
is "stat --sensors ends well" $? 0
is "watts of the power monitor" "$(read_of ina226)" 8.40
is "degrees of the LM75" "$(read_of lm75)" 45.5
is "degrees of the memory module" "$(read_of jc42)" 38.2
m1top stat -e power/energy-pkg/ --by device -n 1 --format perf >/tmp/csv 2>/tmp/err
has "joules of the PMU power" "$(cat /tmp/csv)" ",12\.[456][0-9]*,Joules,power/energy-pkg/,"
m1top stat -M package_watts,system_watts --by device -n 1 --format json >/tmp/json 2>/tmp/err
has "as watts of the package" "$(cat /tmp/json)" '"metric-value" : 12\.[45].* "metric-name" : "package_watts"'
has "and of the machine" "$(cat /tmp/json)" '"metric-value" : (31|30\.9).* "metric-name" : "system_watts"'

m1top stat --sensors -n 2 -o /tmp/run.csv
m1top replay /tmp/run.csv --to-stat --by type >/tmp/table
is "the log replays the watts" "$(read_of ina226) $(read_of lm75)" "8.40 45.5"
has "the report has them" "$(m1top report /tmp/run.csv)" " +8.40 +8.40 +8.40 W  ina226.*/power1"

m1top serve --listen 127.0.0.1:10410 >/tmp/serve 2>&1 &
served=$!
# shellcheck disable=SC2317 # by await
has_watts() {
	wget -qO /tmp/metrics http://127.0.0.1:10410/metrics && grep -q "^m1top_power_watts.*ina226" /tmp/metrics
}
await has_watts
has "serve has watts" "$(cat /tmp/metrics)" '^m1top_power_watts\{sensor="ina226[^"]*"\} 8.3999|^m1top_power_watts\{sensor="ina226[^"]*"\} 8.4'
has "serve has degrees" "$(cat /tmp/metrics)" '^m1top_temperature_celsius\{sensor="lm75[^"]*"\} 45.5'
kill $served
wait $served
m1top serve --no-sensors --listen 127.0.0.1:10410 >/tmp/serve 2>&1 &
served=$!
# shellcheck disable=SC2317 # by await
has_counts() {
	wget -qO /tmp/metrics http://127.0.0.1:10410/metrics && grep -q "^m1top_events_total" /tmp/metrics
}
await has_counts
is "--no-sensors serves none" "$(grep -c "^m1top_power_watts" /tmp/metrics)" 0
kill $served
wait $served

m1top stat --sensors -d 1 -n 12 --by type >/tmp/table 2>/tmp/err &
stat=$!
# shellcheck disable=SC2317 # by await
says() { # pattern
	grep -q "$1" /tmp/table
}
await says " 45.5 .*lm75"
tell 200 $((60 * 256 + 128)) $((38 * 16 + 4))
await says " 1.25 W .*ina226"
echo 0x48 >"$bus/delete_device"
wait $stat
is "a sensor that goes away is missing" "$(read_of lm75)" "-"
is "and the other ones stay" "$(read_of ina226)" 1.25
is "said once" "$(grep -c "lm75.* cannot be read" /tmp/err)" 1
finish
