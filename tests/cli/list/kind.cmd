m1top list evnts x
m1top list metric --demo IPC
m1top list preset --demo overview
