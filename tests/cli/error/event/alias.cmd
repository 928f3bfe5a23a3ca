# without a core PMU it is not supported, as in perf, by the name that was typed
[ -e /sys/bus/event_source/devices/cpu ] && exit 77
m1top stat --backend perf -x, -e branch-misses,LLC-loads true 2>said
grep -v paranoid said >&2
