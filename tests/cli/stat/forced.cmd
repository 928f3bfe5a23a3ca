# an id as 0x8d, and an event forced onto a counter that may not count it; no metric takes such a count
sim='--backend sim:seed=7,clock=virtual -n 1 -C 4'
m1top stat $sim -e 0x8d,PMC3=0xd3,PMC9=0x8d!
m1top stat $sim -e PMC9=branches! -M branch_mpki -o a.csv
m1top replay --to-stat --format csv a.csv | cmp - a.csv && grep -o 'slot=.*BRANCH.*' a.csv
# where it may be counted anyway there is nothing to force
m1top stat $sim -e PMC5=0x8d:u!
