m1top list "INST_BRANCH*" --demo
