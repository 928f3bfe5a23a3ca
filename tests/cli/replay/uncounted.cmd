# a core that lost its counts: a session does not have its tasks, so all of its type are at least what they are, also if
# they have no row then
m1top stat --backend sim:seed=89245,clock=virtual,cores=2,lost=0@0.1-0.25,tasks=20 --by task -n 4 -I 100 -e cycles -o a.csv
m1top replay --to-stat --by task --top 1 a.csv | grep '0.[23]00'
m1top replay --to-stat --summary --by task --top 1 a.csv | grep mean
m1top replay --to-stat --summary --by task --top 1 -x, a.csv | grep summary
m1top report --by type -j a.csv | grep -o '"command":"[^"]*","total":[^}]*"quality":"[^"]*"' | head -3
