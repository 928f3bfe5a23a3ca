m1top list backends | cut -c1-4
