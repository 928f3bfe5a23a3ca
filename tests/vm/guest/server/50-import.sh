#!/bin/sh
# the installed perf knows this machine's events: m1top takes them from there
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

if ! command -v perf >/dev/null; then
	skip "events of the installed perf" "perf could not be built: no source of Linux 6.12"
	finish
fi
has "before, doctor says how to get them" "$(m1top doctor 2>&1)" "no event files of this model.*m1top events import"
case $SERVER in # the others' files have none, or m1top's own have it
hybrid | intel)
	has "so does a metric that they have" "$(m1top stat -n 1 -M TopdownL1 2>&1)" \
		"no metric is named \"TopdownL1\".*event files are missing: m1top doctor"
	;;
esac
m1top events import >/tmp/said 2>&1
is "they are imported" $? 0
sed 's/^/# /' /tmp/said
lacks "then doctor misses none" "$(m1top doctor 2>&1)" "no event files of this model"
m1top list metrics >/tmp/imported
m1top list metrics --events-dir /vm/linux-events >/tmp/linux
echo "# metrics: $(wc -l </tmp/imported) imported, $(wc -l </tmp/linux) in Linux's files"
cut -d' ' -f1 /tmp/linux | sort -u >/tmp/linux.names
cut -d' ' -f1 /tmp/imported | sort -u >/tmp/imported.names
is "metrics of Linux's files that are not there" "$(grep -vxF -f /tmp/imported.names /tmp/linux.names)" ""
finish
