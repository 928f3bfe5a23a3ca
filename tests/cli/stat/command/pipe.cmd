# the reader leaves early: a quiet end
m1top stat --backend sim:seed=7,clock=virtual -n 10000 -x, -e cycles 2>stderr | head -2
cat stderr
