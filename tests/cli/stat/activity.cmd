# frequency and utilisation of cores added up; what a core type has not says why
m1top stat --backend sim:clock=virtual -M Frequency,Utilisation,active_ipc --by cluster -n 2
m1top stat --backend sim:clock=virtual -e memory-stall,active-time -n 1 -C 0,4
m1top list metrics activity --backend sim
