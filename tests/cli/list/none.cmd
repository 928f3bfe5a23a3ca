m1top list events no-such-thing --demo
