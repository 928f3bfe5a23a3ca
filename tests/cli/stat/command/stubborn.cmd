# a command that ignores SIGTERM: the first signal ends the counting, the second one the waiting
"$M1TOP" stat --demo -C 0 -e cycles -x, -- sh -c 'trap "" TERM; : >up; sleep 30' >out 2>err &
until [ -e up ]; do sleep 0.05; done
kill -TERM $!
until grep -qs CORE_ACTIVE_CYCLE out; do sleep 0.05; done
kill -TERM $!
wait $! 2>/dev/null
echo "exit $?"
grep -c CORE_ACTIVE_CYCLE out
