# every event has a line: rate, per 1000 instructions, error and share of time counted
m1top stat --backend sim:seed=7,clock=virtual -P all --by type -n 1
