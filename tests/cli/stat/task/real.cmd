# this machine: what can be counted of tasks with no rights at all, and who is not there
m1top stat -x, -e task-clock,page-faults true >out 2>err || exit 77
sed 's/[0-9][0-9.]*/N/g; s/:u//; s/[KM]\/sec/\/sec/' out
m1top stat -x, -e task-clock -p 4194304 2>err; echo "exit $?"
tail -1 err
