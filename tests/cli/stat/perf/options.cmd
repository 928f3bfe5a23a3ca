# perf stat's names for what stat has
alias_of() { m1top stat --backend sim:seed=7,clock=virtual -C 0,4 -e cycles "$@" 2>/dev/null; }
alias_of -n 2 -I 100 -x, >ours
alias_of --interval-count 2 --interval-print 100 -a -A --field-separator , >perfs
cmp ours perfs && echo same
alias_of -n 1 -j --user >ours
alias_of --interval-count=1 --json-output --all-user >perfs
cmp ours perfs && echo same
alias_of -n 1 -x, --per-core
alias_of -n 1 -x, --per-cluster
alias_of -n 1 -j --per-core
