m1top stat --intervall 3
m1top -D
m1top stat -G 1
m1top list -E
