# a name of any length leaves room for what is wrong with it
m1top stat --demo -e "$(printf '%2000s' '' | tr ' ' a)"
