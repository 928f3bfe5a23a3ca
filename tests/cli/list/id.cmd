m1top list events 0x8D --demo
m1top list events 0x8 --demo
