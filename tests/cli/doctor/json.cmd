# the lines of doctor under its headings
m1top doctor --demo -j | grep -e '"text": "sim:' -e '"Frequency' | cut -c1-110
m1top doctor --demo -j | sed -n 's/.*"section": "\([^"]*\)".*/\1/p' | uniq >sections
m1top doctor --demo | grep '^[A-Z]' | cmp - sections && echo the same headings
m1top doctor --selfcheck -j
