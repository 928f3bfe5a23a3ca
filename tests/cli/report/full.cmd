# A page that does not get onto the disk leaves nothing behind.
m1top stat --backend sim:seed=7,clock=virtual -e cycles -n 9 -o a.csv 2>/dev/null
(trap '' XFSZ && ulimit -f 1 && m1top report --html a.html a.csv)
echo "exit $?"; ls
