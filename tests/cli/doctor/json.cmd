# the lines of doctor, what differs from machine to machine apart
m1top doctor --demo -j | grep -e '"Backends"' -e '"Frequency' | cut -c1-110
m1top doctor --demo -j | grep -c '"section"' >objects
m1top doctor --demo | grep -c '^  ' | cmp - objects && echo as many lines as objects
m1top doctor --selfcheck -j
