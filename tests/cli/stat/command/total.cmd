# as with perf stat: -- is not needed, and what is counted is one total, unless -I asks for intervals
sim='--demo -C 0 -e cycles'
for form in "-x," -j "--by system"; do
	m1top stat $sim $form sh -c 'sleep 0.1; exit 7'
	echo "exit $?"
done >out
m1top stat $sim --metric-only -x, true >>out
m1top stat $sim -x, --timeout 100 >>out
m1top stat $sim -I 60000 -x, true >>out
m1top stat $sim -x, true -n >>out
m1top stat $sim -n 1 -I 10 -o csv true 2>&1 | grep -v 'ticks* missed'
sed 's/[0-9][0-9.]*[kMG]*/N/g; s/  */ /g' out
grep -c '^tick,' csv
