m1top --demo
