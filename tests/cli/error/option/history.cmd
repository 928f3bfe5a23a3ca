m1top --history 12 --demo
