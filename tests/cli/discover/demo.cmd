m1top discover --backend sim:seed=3,hidden --ids 0x40-0x5f --kernels load,store | sed 's/ in [0-9.]* s/ in N s/'
m1top discover --demo --ids 0x02,0x90-0x9f --kernels nop,load,store,add --seed 7 | sed 's/ in [0-9.]* s/ in N s/'
m1top discover --demo --masks --ids 0x8c-0x97
