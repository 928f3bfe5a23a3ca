m1top stat --backend sim:seed=5,clock=virtual -n 3 -o a.csv 2>said
m1top replay a.csv
