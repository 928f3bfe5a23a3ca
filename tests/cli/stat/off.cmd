m1top stat --backend "sim:seed=7,clock=virtual,cores=2,offline=1@1-2" -n 4 -e cycles,instructions --format csv
m1top stat --backend "sim:seed=7,clock=virtual,cores=2,offline=1@1-2" -n 4 -e cycles,instructions
