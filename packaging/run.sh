#!/bin/sh
# run.sh: start ./m1top on the best counters this user may use; the rest is m1top's own choice
cd "$(dirname "$0")/.." || exit

paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 0)
if [ "$(id -u)" != 0 ] && [ "$paranoid" -gt 0 ] && [ -t 0 ] && command -v sudo >/dev/null &&
	! getcap "$(readlink -f m1top)" 2>/dev/null | grep -q cap_perfmon; then
	echo "Counting the whole machine needs rights (perf_event_paranoid is $paranoid)."
	echo "+ sudo ./m1top --or-demo"
	sudo -v && exec sudo ./m1top --or-demo
	echo "No rights: starting without."
fi
exec ./m1top --or-demo
