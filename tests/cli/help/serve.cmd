m1top serve --help
