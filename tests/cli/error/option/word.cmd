m1top doctor sleep 1
