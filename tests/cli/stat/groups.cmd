# {a,b} are counted together: one mux group each, where all do not fit at once
one="m1top stat --backend sim:seed=7,clock=virtual -n 1 --by type"
$one -e '{INST_BRANCH,INST_BRANCH_CALL},{INST_BRANCH_RET,INST_BRANCH_COND}:u'
$one -e 'INST_BRANCH,{INST_BRANCH_CALL,INST_BRANCH_RET,INST_BRANCH_TAKEN},cycles/name=active/'
$one -e '{INST_BRANCH,INST_BRANCH_CALL,INST_BRANCH_RET,INST_BRANCH_COND}'
$one -e 'cycles:pp,cycles/r8d/,INST_BRANCH/period=1000,name=branches/u'
$one -e '{cycles'
$one -e 'cycles}'
$one -e '{cycles,{instructions}}'
$one -e '{cycles,instructions}:x'
$one -e '{cycles}u'
