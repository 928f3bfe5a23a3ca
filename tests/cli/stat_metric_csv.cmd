# metric rows behind each core's counts, none of the core that is off; 0/0 has no figure
m1top stat --backend "sim:seed=7,clock=virtual,cores=2,offline=1@1-2" -n 2 -e cycles,instructions --format csv -M IPC,'z=(cycles-cycles)/(instructions-instructions)'
