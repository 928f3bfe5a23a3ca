# A metric of more events than a core has counters: --split measures it in several sets, to a limit.
sum() # N
{
	seq -f 'INST_BRANCH@config1\=%g@' "$1" | paste -sd+
}
m1top stat --backend sim:clock=virtual -n 1 -M "large=$(sum 65)"
m1top stat --backend sim:clock=virtual -n 1 --split -C 0 -M "large=$(sum 65)" | head -3
m1top stat --backend sim:clock=virtual -n 1 --split -M "largest=$(sum 129)"
