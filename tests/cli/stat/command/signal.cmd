# a signal ends the interval that is open, and prints it
"$M1TOP" stat --demo -d 60 -C 0 -e cycles --format csv >out 2>err &
until grep -qs '^tick,' out; do sleep 0.05; done
sleep 0.2
kill -TERM $!
wait $! 2>/dev/null
echo "exit $?"
grep -c '^1,' out
