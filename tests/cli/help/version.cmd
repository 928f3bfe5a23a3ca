m1top --version | head -n 1; m1top stat -V | head -n 1
