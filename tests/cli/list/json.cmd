m1top list pmus --demo -j
# which can be used here is the machine's affair
m1top list backends -j | grep -o '"name": "[a-z]*"'
