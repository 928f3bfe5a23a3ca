m1top list pmus --demo
