m1top doctor --selfcheck --demo -e INST_ALK
m1top doctor --selfcheck --demo -P nothing
