m1top list metrics --demo "branch_m*"
