m1top --help
