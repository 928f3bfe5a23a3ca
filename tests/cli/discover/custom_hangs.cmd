# code that never returns is left behind, with what was found: at the second signal
cat >hang.S <<'END'
	.text
	.globl trigger, control
trigger:
	ret
control:
#if defined(__x86_64__)
	cmp $64, %rdi
	ja control
#else
	cmp x0, #64
	b.hi control
#endif
	ret
END
"$M1TOP" discover --quick --asm hang.S --ids 2 --backend perf -o r.json >out 2>err &
# a second of CPU time: it is in there
until ! kill -0 $! || { [ -s r.json ] && [ "$(cut -d ' ' -f 14 /proc/$!/stat)" -gt 100 ]; }; do sleep 0.05; done
kill -TERM $!
until ! kill -0 $! || grep -q waiting err; do sleep 0.05; done
kill -TERM $!
wait $!
echo $?
grep -v 'no core PMU' err
tail -n 2 out | sed 's/ in [0-9.]* s/ in N s/'
grep -E 'complete|"asm"' r.json | sed 's/0x[0-9a-f]*"/HASH"/; s:"/[^"]*/:"DIR/:'
