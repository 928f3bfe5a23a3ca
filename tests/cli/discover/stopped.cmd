# Ctrl-C and SIGTERM keep what is done; the P core is slow enough to be caught in the middle
"$M1TOP" discover --backend sim:seed=3,hidden,slow=7:10ms -o r.json >out 2>err &
until grep -q '"kernel": "nop", "id": "0x00"' r.json 2>/dev/null; do sleep 0.05; done
kill -TERM $!
wait $!
echo $?
cat err
grep complete r.json
