# An event with further terms beside the plain one, counted, in a metric and in a session.
terms='INST_BRANCH/config1=1/'
m1top stat --backend sim:seed=7,clock=virtual -n 1 -e "$terms,INST_BRANCH" \
	-M 'one=INST_BRANCH@config1\=1@/INST_BRANCH' -o a.csv
grep -o "event=$terms.*config1=[^ ]*" a.csv | sort -u
m1top replay --to-stat --by type a.csv
m1top stat --backend sim:seed=7,clock=virtual -n 1 -e 'INST_BRANCH/cmask=1/'
m1top stat --backend sim:seed=7,clock=virtual -n 1 -e 'INST_BRANC/config1=1/'
