# A session in several files is one again, plain and compressed, and each file is a session too.
sim='--backend sim:seed=7,clock=virtual,cores=2 -e cycles -I 100 -n 100 --format csv'
m1top stat $sim -o whole.csv 2>/dev/null
limit=52K
for run in run.csv run.csv.zst; do
	m1top stat $sim --log-limit $limit -o $run 2>/dev/null
	limit=40K
	m1top replay --older --to-stat --format csv $run | cmp - whole.csv && ls run.[0-9]*"${run#run}" | wc -l
done
m1top report --older run.csv | sed -n 's/.*, \(.* intervals\) of/\1/p'
m1top report run.csv | sed -n 's/.*, \(.* intervals\) of/\1/p'
rm run.2.csv
m1top report --older run.csv | sed -n 's/.*, \(.* intervals\) of/\1/p; /are missing:/p'
m1top report --older run.7.csv
# A full disk leaves a newest file without a line: no session, and none of those before it is lost.
for run in run.csv run.csv.zst; do
	cp $run kept && : >$run
	m1top report --older $run | sed -n 's/.*, \(.* intervals\) of/\1/p'
	m1top replay --older --to-stat --format csv $run | tail -n 1 | cut -d, -f1
	mv kept $run
done
: >alone.csv
m1top report --older alone.csv
# A limit that is reached takes the oldest part: the message and the log say it, and the rest is read.
m1top stat $sim --log-limit 30K -o full.csv 2>&1 | grep limit
m1top stat $sim --max-size 4K --keep 99 -o sizes.csv 2>/dev/null
ls sizes.[0-9]*csv | wc -l
ls full.*csv | wc -l
m1top report --older full.csv | sed -n 's/.*, \(.* intervals\) of/\1/p; /begins/p'
grep -c '^# mark .* "log limit: the oldest part was removed"$' full.csv
# What cannot be read is not left out in silence.
printf '\050\265\057\375broken' >run.1.csv
m1top report --older run.csv
echo "exit $?"
m1top report --older - <run.csv
