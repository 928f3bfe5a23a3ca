m1top discover --list-kernels -j | grep -c '"kernel": '
m1top discover --demo --ids 0x8c-0x95 --kernels load,add --seed 7 -j | grep '"verdict": "consistent"' | cut -c1-90
m1top discover --demo --masks --ids 0x8c-0x8d -j | grep '"found"'
