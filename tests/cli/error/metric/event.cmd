m1top stat --backend sim:seed=7,clock=virtual -n 1 -M 'x=1000*INST_BRUNCH/INST_ALL'
m1top stat --backend sim:clock=virtual -n 1 -M 'x=active-cycles/active-time'
