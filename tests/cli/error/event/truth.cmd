m1top list events --demo --truth
m1top list presets --backend sim:hidden --truth
m1top list events --backend sim:hidden=1
m1top stat --demo --truth
