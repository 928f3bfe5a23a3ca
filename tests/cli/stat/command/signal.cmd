# a signal ends the interval that is open, and prints it
"$M1TOP" stat --demo -d 60 -C 0 -e cycles --format csv >out 2>err &
sleep 0.7
kill -TERM $!
wait $!
echo "exit $?"
grep -c '^1,' out
