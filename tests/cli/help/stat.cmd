m1top stat --help
