m1top stat --backend sim:seed=7,clock=virtual -n 1 -e INST_BRANCH,INST_BRANCH_CALL,INST_BRANCH_RET,PMC5=INST_LDST
