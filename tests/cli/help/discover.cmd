m1top discover --help
