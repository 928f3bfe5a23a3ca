m1top doctor --demo | grep -v -e kernel -e 'open files' -e folder -e paranoid -e capabilities -e 'runs as' -e '^  .*perf:' -e '^  .*apple:' -e hold
