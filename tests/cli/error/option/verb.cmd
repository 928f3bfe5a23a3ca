m1top stta
m1top record
m1top diff a.csv b.csv
m1top top
