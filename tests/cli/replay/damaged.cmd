# what stands before a mistake is played; the mistake is named
m1top stat --backend sim:seed=5,clock=virtual,cores=2 -e cycles -n 4 -o a.csv 2>said
sed -i 's/^4,\(.*\),ok,$/4,\1,fine,/' a.csv
m1top replay --to-stat a.csv
