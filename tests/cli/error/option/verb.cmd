m1top stta
m1top record
m1top diff a.csv b.csv
m1top top
m1top help | head -n 1
m1top help stat | head -n 1
m1top help me
m1top version
