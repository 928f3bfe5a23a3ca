# a core that is late in the last frame: sums that lack its part are marked in every form
sim='--backend sim:seed=7,clock=virtual,cores=4,tasks=20'
m1top stat $sim --by task -n 3 -I 100 -e cycles -o a.csv
awk '/^# task/ { note = note $0 "\n"; next } !/^3,[^,]*,3,/ { printf "%s", note; print } { note = "" }' a.csv >late.csv
m1top report --by type late.csv | sed -n '/^P /,/^$/p'
m1top report --by type -j late.csv | grep -o '"event":"CORE_ACTIVE_CYCLE"[^}]*"quality":"[^"]*"'
m1top report --by core -j late.csv | grep -o '"event":"CORE_ACTIVE_CYCLE"[^}]*"quality":"[^"]*"' | grep -v commands | tail -2
m1top replay --to-stat --summary --by type -x, late.csv | tail -2
m1top replay --to-stat --summary --by core -x, late.csv | grep CORE_ACTIVE | tail -2
m1top replay --to-stat --summary --by core late.csv | tail -2
m1top replay --to-stat --summary --by type late.csv | tail -3
m1top replay --to-stat --summary --by task --top 1 late.csv | tail -3
m1top stat $sim --by task -n 3 -I 1000 -e cycles -o b.csv
# a core that is late between: rows of tasks are at least what they are, and rates are those of the windows of their core type
awk -F, -v OFS=, '/^# task/ { split($0, word, " "); note[word[4]] = $0 } /^2,[^,]*,3,/ { next }
	/^3,[^,]*,3,/ { if ($7 > 0 && !said[$7]++) print note[$7]; for (i = 9; i <= 11; i++) $i = sprintf("%.0f", 2 * $i) }
	{ print }' b.csv >between.csv
m1top replay --to-stat --by task --top 1 between.csv
m1top replay --to-stat --by type between.csv
m1top replay --to-stat --by task --top 1 -x, between.csv | grep '^ *2.0.*P,'
