m1top discover --trigger true
m1top discover --trigger true --control true --asm k.S
m1top discover --name mine
m1top discover --masks --asm k.S
m1top discover --demo --trigger true --control true
m1top discover --demo --trigger true --control true --name nop
m1top discover --demo --trigger true --control 'echo there is no such knob >&2; exit {n}'
m1top discover --demo --asm nowhere.S
