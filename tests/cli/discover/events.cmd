m1top discover --backend sim:seed=3,hidden --ids 0x40-0x5f --kernels load --emit-events found.json >out || cat out
sed 's/, 20.*"/, DATE"/' found.json
m1top discover --demo --ids 0x95 --kernels load --emit-events found.json
