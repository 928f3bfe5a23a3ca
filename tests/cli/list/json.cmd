m1top list pmus --demo -j
m1top list backends -j | cut -c1-30
