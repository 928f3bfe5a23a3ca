# an error names what was typed, not what it stands for
m1top stat --backend perf -C 0 -n 1 -e branch-misses 2>&1 | grep -q 'counts\|cpu0' && exit 77
[ -e /sys/bus/event_source/devices/cpu ] && exit 77
m1top stat --backend perf -n 1 -e branch-misses,cycles
