m1top report --help
