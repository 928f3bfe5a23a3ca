# a command's own counts: a total, its exit status, and nothing where it cannot be run; the other core type comes later, if at all
m1top stat --demo -e cycles -x, sh -c 'sleep 0.3; exit 7' >out; echo "exit $?"
sed -n '/^E/s/[0-9][0-9.]*/N/gp' out
m1top stat --demo -e cycles -x, /nowhere/at/all; echo "exit $?"
m1top stat --demo -a -e cycles -x, --by type true | sed 's/[0-9][0-9.]*/N/g'
