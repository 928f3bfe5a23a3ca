# What an expression is told of the machine comes from the session, never from this host.
m1top stat --backend sim:cores=2,clock=virtual -n 1 -e cycles --format csv >run.csv 2>/dev/null
sed '/^# literals/s/num_cpus_online=2/num_cpus_online=77/; s/simulated=1/simulated=0/' run.csv >other.csv
sed '/^# literals/d; s/simulated=1/simulated=0/' run.csv >old.csv
for literal in num_cpus_online num_dies system_tsc_freq slots; do
	for file in run other old; do
		m1top replay --to-stat -x, -M "x=#$literal+0*cycles" $file.csv | sed "s/.*,,/$file $literal: /;q"
	done
done
sed 's/num_dies=1/num_dies=one/' run.csv >bad.csv
m1top replay --to-stat bad.csv
