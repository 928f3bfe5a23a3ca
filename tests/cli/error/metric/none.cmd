# what -M refuses at once, and names that go round in a circle
m1top stat --demo -n 1 -M ''
m1top stat --demo -n 1 -M ' , '
m1top --demo -M ''
m1top stat --demo -n 1 -M 'IPC,,CPI'
m1top stat --demo -n 1 -M 'a=b*2,b=a*2'
m1top stat --demo -n 1 -M 'a=b*2' -M 'b=1000*'
m1top stat --demo -n 1 -M nosuch
