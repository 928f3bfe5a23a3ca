m1top report
m1top report nothing.csv
echo hello >a.csv
m1top report a.csv
