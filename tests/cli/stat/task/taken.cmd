# Another tool takes a counter in the middle of a window: what tasks ran then is not counted, so theirs are at least this.
m1top stat --backend sim:seed=1,clock=virtual,tasks=8,steal=2.0@0.15-0.25 -C 2 -e cycles,INST_BRANCH --by task -n 2 -d .1
m1top stat --backend sim:seed=1,clock=virtual,tasks=8,steal=2.0@0.15-0.25 -C 2 -e cycles -M IPC --by process -n 2 -d .1 -x,
