# the line that a stopped sweep prints goes on as it stands; a core is slow enough to be caught in the middle
"$M1TOP" discover --backend sim:seed=3,hidden,slow=7:2ms --ids 0-0x1f --kernels nop,add,load,store -C 0-7 -o "it's.json" >out 2>err &
until grep -q '"kernel": "nop", "id": "0x00"' "it's.json" 2>/dev/null; do sleep 0.05; done
kill -TERM $!
wait $!
cat err
line=$(sed -n 's/^m1top: stopped; to continue: \(.*\)$/\1/p' err)
eval "$line" | tail -n 2 | sed 's/: [0-9]* ids respond//; s/[0-9]* runs.*/runs/'
grep complete "it's.json"
# the order of a backend's options means nothing; other ones are refused
m1top discover --backend sim:hidden,slow=7:2ms,seed=3 --resume "it's.json" | tail -n 2 | sed 's/: [0-9]* ids respond//; s/[0-9]* runs.*/runs/'
m1top discover --backend sim:hidden,slow=7:2ms,seed=4 --resume "it's.json"
m1top discover --demo --resume "it's.json"
m1top discover --backend perf --resume "it's.json"
# another kernel, another m1top, and what they had to say
sed -i 's/"kernel": "Linux.*/"kernel": "Linux 5.4 old",/; s/"m1top": ".*/"m1top": "0.0.1",/; s/"date": ".*/"date": "2020",/; s/"P": {}/"P": {"load": "64 MiB not locked"}/' "it's.json"
m1top discover --resume "it's.json" 2>&1 >/dev/null | sed 's/it continues under .*/it continues under HERE/'
grep -E '"(kernel": "Linux|date|P": [{]"load": "64)|sessions' "it's.json"
m1top discover --resume "it's.json" --ids 0xc0 2>/dev/null >/dev/null
grep -cE '"(kernel": "Linux|date|P": [{]"load": "64)|sessions' "it's.json"
