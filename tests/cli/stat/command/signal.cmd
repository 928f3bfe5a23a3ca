# a signal ends the interval that is open, and prints it
"$M1TOP" stat --demo -d 60 -C 0 -e cycles --format csv >out 2>err &
until grep -qE '^Sig(Blk|Cgt):.*[4-7c-f].{3}$' /proc/$!/status; do sleep 0.05; done
sleep 0.7
kill -TERM $!
wait $! 2>/dev/null
echo "exit $?"
grep -c '^1,' out
