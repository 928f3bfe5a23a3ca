# A metric of more events than all sets together have columns.
sum() # N
{
	seq -f 'INST_BRANCH@config1\=%g@' "$1" | paste -sd+
}
for split in "" --split; do
	m1top stat --backend sim:clock=virtual -n 1 $split -M "large=$(sum 65)"
done
m1top stat --backend sim:clock=virtual -n 1 --split -M "largest=$(sum 129)"
