m1top stat --demo -- /nowhere/at/all
