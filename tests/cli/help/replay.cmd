m1top replay --help
