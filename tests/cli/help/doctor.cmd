m1top doctor -h
