m1top stta
