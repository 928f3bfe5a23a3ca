# how far a multiplexed count may be off: in stat's JSON, the same when replayed, over time in report
stat="--backend sim:seed=7,clock=virtual -n 3 -P branch,l1d"
m1top stat $stat --by type -j >live 2>said
m1top stat $stat -o a.csv 2>said
m1top replay --to-stat --by type -j a.csv >replayed
grep -c error-pct live
cmp live replayed && grep -m1 '"slot" : 8' replayed | sed 's/.*\("event" : "[A-Z_]*"\).*\("error-pct.*\)/\1 \2/'
m1top report --by type a.csv | grep -m2 -e INST_BRANCH -e INST_ALL
m1top report --by type --json a.csv | tr '{' '\n' | grep -m1 '"event":"INST_BRANCH"' | grep -o '"error_pct":[0-9.]*'
grep -v '^#' a.csv | cut -d, -f8,9,12,13 | grep -m2 -e '^event' -e INST_BRANCH
