# without rights: functions of own tasks; --by task says what needs none; whole CPUs and cgroups are refused
[ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || exit 77
place=$(mktemp -d /tmp/tmp.XXXXXXXX) && cp "$M1TOP" "$place/m1top" && cp -r "$M1TOP_EVENTS" "$place/events" || exit 77
chmod -R a+rX "$place"
M1TOP_EVENTS=$place/events
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all $place/m1top"
$nobody --version >/dev/null || exit 77
$nobody stat -e page-faults true >/dev/null 2>&1 || exit 77
$nobody stat --by function -e page-faults -x, true >rows 2>/dev/null
echo "exit $?"
cut -d, -f2 rows | sort -u
$nobody stat --by function -e page-faults --format csv true 2>/dev/null | grep -o '^# samples' | uniq
for what in '--by command true' '--by task --backend perf -p 1' '--by function -n 1' '--by function --cgroup / -n 1'; do
	$nobody stat -e page-faults $what 2>text
	echo "$what: exit $?"
	head -1 text
done
$nobody stat -e context-switches --by function true 2>text
tail -1 text
rm -rf "$place"
