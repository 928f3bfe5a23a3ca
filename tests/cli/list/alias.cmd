m1top list events indirect_branch_misprediction --demo -j
