# A metric that the session's events do not give is named; without -M there is nothing to say.
m1top stat --backend sim:seed=7,clock=virtual,smmu=1 -n 1 -M SMMU --format csv 2>/dev/null >run.csv
m1top replay --to-stat -M branch_mpki,IPC,l1d_load_mpki --by system --metric-only run.csv
m1top replay --to-stat --metric-only --by device run.csv
