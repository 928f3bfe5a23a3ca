m1top list metrics --demo "branch_m*"
m1top list metrics --demo 'BR-MPKI mispred'
