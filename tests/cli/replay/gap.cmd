# nothing was counted for two intervals
m1top stat --backend sim:seed=7,clock=virtual,cores=2 -I 100 -n 5 -e cycles -o all.csv 2>/dev/null
awk '/^[34],/ { next } /^5,/ && !n++ { print "# gap 0.5 2 frames (suspended)" } { print }' all.csv >gap.csv
m1top replay --to-stat -j gap.csv | cut -c1-110
