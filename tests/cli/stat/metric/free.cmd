m1top stat --backend sim:seed=7,clock=virtual -n 1 --by type -M 'x=1000*min(INST_ALL,CORE_ACTIVE_CYCLE)/INST_ALL,cpi'
