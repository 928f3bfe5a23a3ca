m1top --version; m1top stat -V
