m1top list evnts x
