m1top list --help
