# without rights: the lines that mend it, exit 3; what there is can be listed all the same
[ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] || exit 77
place=$(mktemp -d /tmp/tmp.XXXXXXXX) && cp "$M1TOP" "$place/m1top" && cp -r "$M1TOP_EVENTS" "$place/events" || exit 77
chmod -R a+rX "$place"
M1TOP_EVENTS=$place/events
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all $place/m1top"
$nobody --version >/dev/null || exit 77
$nobody stat -n 1 2>text
echo "stat: exit $?"
grep -o -e 'perf_event_paranoid is' -e 'sudo' -e 'setcap cap_perfmon' -e 'sysctl' text | sort -u
$nobody list context-switches
$nobody doctor 2>/dev/null | grep -A3 'One of these' | sed 's/ is [0-9][0-9]*/ is N/'
$nobody doctor 2>/dev/null | grep 'perf_event_paranoid is [0-9]*: ' | sed 's/ is [0-9]*/ is N/'
$nobody doctor >/dev/null 2>&1
echo "doctor: exit $?"
$nobody --or-demo -n 1 -I 50 -C 0 -e cycles 2>/dev/null | head -2
rm -rf "$place"
