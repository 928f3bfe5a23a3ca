m1top report -j --html a.html a.csv
m1top report --part 0 a.csv
m1top report --force a.csv
m1top report a.csv b.csv c.csv
m1top report --by thread a.csv
m1top report --preset overview a.csv
