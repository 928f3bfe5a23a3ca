m1top stta
m1top record
m1top diff a.csv b.csv
m1top top
m1top help
m1top help stat
m1top version
