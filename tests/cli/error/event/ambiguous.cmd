m1top stat --demo -n 1 -e indirect_branch_misprediction
