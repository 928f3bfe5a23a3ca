# an error that reaches below what was counted is a range, from that to what could have been
stat="--backend sim:seed=7,clock=virtual,period=10000,cores=2 -I 10 -n 30 --by core -P branch,l1d,dtlb"
m1top stat $stat 2>/dev/null | grep -e '^ *0\.[123][0-9]0 E.* L1D_CACHE_MISS_LD ' | tail -n 4
m1top stat $stat -j 2>/dev/null | grep '"L1D_CACHE_MISS_LD"' | grep -m 2 -o '"error-pct.*[0-9]'
