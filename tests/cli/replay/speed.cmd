m1top replay --speed 1000 a.csv
