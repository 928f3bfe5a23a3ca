# more than the counters hold: the kernel multiplexes, and each event has one column
m1top stat --backend sim:seed=7,clock=virtual,tasks=20 -n 1 -p 1000 -P branch,l1d -M IPC,branch_mpki
