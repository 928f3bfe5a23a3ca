# an event on two counters of a group has one line, with its time once, though one of them was stolen; tasks of a core
# whose reads failed are estimates, and partial in a session, which does not have them
sim='--backend sim:seed=11,clock=virtual,cores=4'
m1top stat $sim,steal=1.5@0-0.03 -e PMC5=INST_BRANCH,PMC7=INST_BRANCH -I 50 -n 1 --by type -x,
m1top stat $sim,steal=1.6@0-0.03,steal=1.7@0-0.03 -e PMC6=INST_BRANCH,PMC7=INST_BRANCH -I 50 -n 1 --by type -x,
m1top stat $sim,tasks=20,lost=3@0.1-0.15 --by task -e cycles -I 50 -n 3 -o a.csv
m1top stat $sim,tasks=20,lost=3@0.1-0.15 --by command --top 2 -e cycles -I 50 -n 3 -x, | grep '^ *0.150.*,P,'
m1top replay --to-stat --by command --top 2 a.csv -j | grep '0.150.*"P"' | sed 's/"unit.*"slot"/…/'
