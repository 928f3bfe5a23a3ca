# Tasks come back as they were; what does not add up is told with its place.
cp "$cases/../fuzz/fuzz_session/tasks.csv" a.csv
m1top replay --to-stat --format csv a.csv >b.csv
m1top replay --to-stat --format csv b.csv | cmp - b.csv && grep -c '^[12],' b.csv
sed 's/,77,INST_ALL,4,/,77,INST_ALL,3,/' a.csv >less.csv
m1top replay --to-stat --format csv less.csv >/dev/null
sed 's/,0,77,INST_ALL,4,/,0,78,INST_ALL,4,/' a.csv >unknown.csv
m1top replay --to-stat --format csv unknown.csv >/dev/null
