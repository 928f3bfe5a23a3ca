# a command that ignores SIGTERM: the first signal ends the counting, the second one the waiting
"$M1TOP" stat --demo -C 0 -e cycles -x, -- sh -c 'trap "" TERM; sleep 5' >out 2>err &
sleep 0.5; kill -TERM $!
sleep 0.5; kill -TERM $!
wait $! 2>/dev/null
echo "exit $?"
grep -c CORE_ACTIVE_CYCLE out
