# a core that is late in the last frame: sums that lack its part are marked in every form
sim='--backend sim:seed=7,clock=virtual,cores=4,tasks=20'
m1top stat $sim --by task -n 3 -I 100 -e cycles -o a.csv
awk '/^# task/ { note = note $0 "\n"; next } !/^3,[^,]*,3,/ { printf "%s", note; print } { note = "" }' a.csv >late.csv
m1top report --by type late.csv | sed -n '/^P /,/^$/p'
m1top report --by type -j late.csv | grep -o '"event":"CORE_ACTIVE_CYCLE"[^}]*"quality":"[^"]*"'
m1top replay --to-stat --summary --by type -x, late.csv | tail -2
m1top replay --to-stat --summary --by type late.csv | tail -3
m1top replay --to-stat --summary --by task --top 1 late.csv | tail -3
