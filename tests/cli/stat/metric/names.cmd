# A metric goes by its name, by those it had before, by that of Linux's files, and by its label; the heading is the label.
m1top stat --backend sim:seed=7,clock=virtual -n 1 --by type -M branch_density,BR-MISS%,l1d_load_mpki_spec,bub/misp 2>/dev/null
m1top stat --backend sim:seed=7,clock=virtual -n 1 --by type -M branch_miss_rate=2*IPC -x, 2>&1 | grep miss_rate
