# shellcheck shell=sh
# cost.sh: mark instructions (tests/vm/count.c) and count system calls, of `m1top stat` with one window and with 51
events=cpu-clock,context-switches,page-faults,cpu-migrations,active-time
tracing=/sys/kernel/tracing
mount -t tracefs tracefs $tracing 2>/dev/null

sleep 6 # for what the kernel puts off at boot
/vm/many/mark
for last in $((SERVER / 2 - 1)) $((SERVER - 1)); do
	for n in 1 51; do
		m1top stat -C 0-$last -I 100 -n $n --budget 100 -e $events --format csv >/tmp/cost 2>/dev/null
		/vm/many/mark
	done
done
sleep 10
/vm/many/mark

m1top stat -I 100 --budget 100 -e $events --format csv >/tmp/cost 2>/dev/null &
pid=$!
sleep 3
echo 512 >$tracing/buffer_size_kb
echo 1024 >$tracing/saved_cmdlines_size
ls /proc/$pid/task >$tracing/set_event_pid
echo 1 >$tracing/events/raw_syscalls/sys_enter/enable
sleep 2
echo 0 >$tracing/events/raw_syscalls/sys_enter/enable
kill $pid
# By call, in 20 ticks: of a core thread, and of all others together.
awk -v cpus="$SERVER" '
	match($0, /NR [0-9]+/) { n[($1 ~ /^m1top\/[0-9]/ ? "core" : "others") " " substr($0, RSTART + 3, RLENGTH - 3)]++ }
	END { for (what in n) print "calls", what, n[what] / 20 / (what ~ /^core/ ? cpus : 1) }' $tracing/trace
echo measured
