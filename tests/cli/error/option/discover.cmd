m1top discover --demo --ids 0x100
m1top discover --demo --ids load
m1top discover --demo --kernels lode
m1top discover --demo --repeats 4
m1top discover --demo --masks --kernels load
m1top discover --demo --resume r.json --quick
m1top discover --demo --resume r.json
m1top discover --demo -o -
