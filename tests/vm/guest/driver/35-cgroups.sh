#!/bin/sh
# stat --by cgroup of two cgroups on both core types: the instructions of each to the unit, with tasks that live for
# milliseconds and one that moves, beside perf stat --for-each-cgroup of the same
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

root=/sys/fs/cgroup
mount -t cgroup2 cgroup2 $root
echo +pids >$root/cgroup.subtree_control # Linux gives perf_event to none below the root before any controller is
mkdir -p $root/a/below $root/b

# Nothing counts instructions but what these tasks ask the emulation for.
cat >/tmp/load <<'END' # CPU, instructions a time, then cgroups: in each it asks 50 times, and has 20 tasks ask once
taskset -p "$(printf %x $((1 << $1)))" $$ >/dev/null
more=$2
shift 2
for cgroup in "$@"; do
	echo 0 >/sys/fs/cgroup/$cgroup/cgroup.procs
	for i in $(seq 50); do
		echo "add 0x8c $more" >/sys/kernel/debug/apple_pmu_emu/ctl
	done
	for i in $(seq 20); do
		(echo "add 0x8c $more" >/sys/kernel/debug/apple_pmu_emu/ctl)
	done
	sleep 0.01 # what it counted since its last switch would move with it
done
END
loads="sh /tmp/load 5 1000003 a & sh /tmp/load 1 20011 b & sh /tmp/load 6 307 a b a/below b & sh /tmp/load 2 11 b a; wait"
truth="a $(((1000003 + 307 + 11) * 70))
a/below $((307 * 70))
b $(((20011 + 2 * 307 + 11) * 70))"

emulate rate E 0x8c 0
emulate rate P 0x8c 0
counts_of() { # file: cgroups and their counts on both core types; m1top begins a line with the cgroup, perf with the count
	awk -F, '{ path = $1 ~ /^[0-9]/ ? $4 : $1; n[path] += $1 ~ /^[0-9]/ ? $1 : $3 }
		END { for (path in n) if (path ~ /^\/?[ab]/) { printable = path; sub("^/", "", printable); print printable, n[path] } }' "$1" |
		sort
}

# Two counters can count instructions: not a third event, that of a cgroup within another.
by_perf="perf stat -a -x, -o /tmp/perf --for-each-cgroup a,b -e apple_icestorm_pmu/instructions/ -e apple_firestorm_pmu/instructions/"
command -v perf >/dev/null || by_perf=
$by_perf m1top stat -a -x, --by cgroup -e instructions sh -c "$loads" >/tmp/machine 2>/tmp/err
is "stat -a --by cgroup ends well" "$? $(cat /tmp/err)" "0 "
sed 's/^/# /' /tmp/machine
is "each cgroup has its instructions, to the unit" "$(counts_of /tmp/machine)" "$truth"
is "no other has any" "$(awk -F, '$3 ~ /^[1-9]/ && !/^\/[ab]/' /tmp/machine)" ""
if [ "$by_perf" ]; then
	is "so has perf stat --for-each-cgroup, with what is below" "$(counts_of /tmp/perf)" \
		"$(echo "$truth" | awk '{ n[substr($1, 1, 1)] += $2 } END { for (path in n) print path, n[path] }' | sort)"
else
	skip "so has perf stat --for-each-cgroup" "perf could not be built: no source of Linux 6.12"
fi
is "those that a command has are the same" "$(m1top stat -x, --by cgroup -e instructions sh -c "$loads" 2>&1 >/tmp/own; counts_of /tmp/own)" "$truth"
is "one with what is below it" "$(m1top stat -x, --cgroup /a -e instructions sh -c "$loads" 2>&1 >/tmp/one; counts_of /tmp/one)" \
	"$(echo "$truth" | grep ^a)"
emulate rates
rmdir $root/a/below $root/a $root/b
umount $root
finish
