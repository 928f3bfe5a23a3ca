m1top stat --demo -n 1 --events-dir /nowhere/at/all
