m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles -I 100 -n 2 -o a.csv 2>/dev/null
touch a.html
m1top report --html a.html a.csv
m1top report --html a.html --force a.csv && grep -c '"file":"a.csv"' a.html
m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles -I 100 -n 2 -o b.csv 2>/dev/null
m1top report --by device b.csv
# What another program has made of it is told from what is no session at all.
sed 's/$/\r/' b.csv >dos.csv
m1top report dos.csv
{ printf '\357\273\277'; cat b.csv; } >bom.csv
m1top report bom.csv
# An event that one type of core has not is counted on the other, and the file is whole.
m1top stat --backend sim:seed=7,clock=virtual -e apple_firestorm_pmu/event=0x8c/ -I 100 -n 2 -o one.csv 2>/dev/null
m1top report --by type one.csv | grep -c 8c
