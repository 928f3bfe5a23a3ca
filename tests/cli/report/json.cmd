m1top stat --backend sim:seed=7,clock=virtual,offline=1@1-2 -I 100 -n 30 -o a.csv 2>/dev/null
m1top report -j --by type -M IPC a.csv |
	sed 's/"title":"[^"]*"/"title":"HOST"/; s/"host":"[^"]*","kernel":"[^"]*"/"host":"HOST","kernel":"KERNEL"/'
# a total has all its digits; a rate beyond all numbers has no plot
m1top stat --backend sim:seed=7,clock=virtual,cores=2 -e cycles -I 10000 -n 400 -o long.csv 2>/dev/null
m1top report -j --by type long.csv | grep -o '"total":[0-9.e+]*,"counted":[0-9]*'
sed 's/scale=1$/scale=1e300/; s/scale=1 /scale=1e300 /' long.csv >huge.csv
m1top report --html huge.html huge.csv && grep -o '"rate":[01]' huge.html | sort | uniq -c
