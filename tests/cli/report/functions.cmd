# A session with samples: functions of each core type, and those that differ in a second one.
sample() { m1top stat --backend "sim:functions=5,tasks=8,clock=virtual,$1" -e cycles,instructions -n 3 --by function -o "$2"; }
sample seed=1 a.csv
sample seed=2 b.csv
grep '^# \(samples\|hot\)' a.csv | sed -n '1,6p'
grep -c 'sampled=1' a.csv
m1top report a.csv | sed -n '/functions of/,$p'
m1top report -j a.csv | sed -n '/"functions"/,/"history"/p' | head -n 4
m1top report a.csv b.csv | sed -n '/functions of/,/^$/p'
# The same rows as stat itself shows.
m1top replay --to-stat --by function --summary --top 3 a.csv | tail -n 13
# A session without samples.
m1top stat --backend sim:clock=virtual -n 1 -o c.csv
m1top replay --to-stat --by function c.csv
# Mistakes.
sed '0,/^# hot/s/ n=/ n=x/' a.csv >bad.csv; m1top report bad.csv >bad.txt
sed '0,/^# samples/s/column=0/column=77/' a.csv >bad.csv; m1top report bad.csv >bad.txt
sed '0,/^# hot/s/ weight=[^ ]*/ weight=-1/' a.csv >bad.csv; m1top report bad.csv >bad.txt
sed '0,/^# hot/s/ object=[^ ]*//' a.csv >bad.csv; m1top report bad.csv >bad.txt
