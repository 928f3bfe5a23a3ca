# A build without zstd writes no compressed file and reads none, and says why.
sim='--backend sim:seed=7,clock=virtual,cores=2 -n 1 -e cycles'
for mode in '' --append --force; do
	m1top stat $sim -o run.csv.zst $mode
	echo "exit $?"
done
ls
printf '\050\265\057\375a block' >run.csv.zst
m1top report run.csv.zst
echo "exit $?"
m1top replay --to-stat - <run.csv.zst
echo "exit $?"
m1top --version | grep -o '^built without .*' | grep -ow zstd
