m1top list events 'ordering*' --backend sim:seed=1,hidden --truth
m1top list events 'l1d-miss' --backend sim:seed=1,hidden --truth -j
