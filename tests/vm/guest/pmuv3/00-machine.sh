#!/bin/sh
# a Neoverse N1 with Arm's own PMU and the kernel's driver for it, and Linux's own files of its events
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

has "m1top finds the PMU" "$(m1top doctor)" 'cores of type cpu: cpu 0-1, armv8_pmuv3.*, [1-9] hardware counters'
has "Linux's files of this processor are taken as they are" "$(m1top doctor --events-dir /vm/linux-events 2>&1)" \
	'type cpu: arm64/arm/neoverse-n1, 1[0-9][0-9] events, [1-9][0-9]+ metrics'
metrics=$(m1top list metrics --json --events-dir /vm/linux-events | sed -n 's/.*"name": "\([^"]*\)".*/\1/p' | sort)
has "with their metrics" "$metrics" "^ipc$"
for metric in $(perf list --raw-dump metrics 2>/dev/null); do
	echo "$metrics" | grep -qx "$metric" || echo "$metric"
done >/tmp/missing
is "none of those that perf lists is missing" "$(cat /tmp/missing)" ""
finish
