# what kill -9 leaves behind goes on; the P core is slow enough to be caught in the middle
sim=sim:seed=3,hidden,slow=7:10ms@0-6
"$M1TOP" discover --backend "$sim" -o r.json >out 2>&1 &
until grep -q '"kernel": "nop", "id": "0x00"' r.json 2>/dev/null; do sleep 0.05; done
kill -9 $!
wait $! 2>/dev/null
grep complete r.json
m1top discover --backend "$sim" --resume r.json | tail -n 2 | sed 's/: [0-9]* ids respond//; s/[0-9]* runs.*/runs/'
grep complete r.json
grep -c verdict r.json
cat out
ls
