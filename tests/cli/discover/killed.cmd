# what kill -9 leaves behind goes on
"$M1TOP" discover --backend sim:seed=3,hidden -o r.json >out 2>&1 &
until grep -q '"kernel": "nop", "id": "0x00"' r.json 2>/dev/null; do sleep 0.05; done
kill -9 $!
wait $! 2>/dev/null
grep complete r.json
m1top discover --backend sim:seed=3,hidden --resume r.json | tail -n 2 | sed 's/: [0-9]* ids respond//; s/[0-9]* runs.*/runs/'
grep complete r.json
grep -c verdict r.json
cat out
ls
