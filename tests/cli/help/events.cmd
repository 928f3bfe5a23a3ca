m1top events -h
