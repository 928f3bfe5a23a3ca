#!/bin/sh
# the module does not learn of context switches: who asks for tasks is told so, and what counts them
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
why='m1top: the backend apple cannot tell tasks apart: it does not learn of context switches; perf does (--backend perf)'

refused() { # words of stat
	said=$(m1top stat "$@" 2>&1)
	is "stat $*" "$? $said" "1 $why"
}

refused --by task -n 1
refused --by command true
refused --backend apple true
refused --backend apple -p 1
command=$(m1top stat -x, true 2>&1)
has "a command's software events are counted" "$command" '[1-9][0-9]*,,page-faults,'
has "and why it is these alone" "$command" '^m1top: software events alone: the backend apple cannot tell tasks apart: it does not learn'
has "which is said, too, where others were asked for" "$(m1top stat -e cycles true 2>&1)" \
	'software events alone: the backend apple cannot tell tasks apart'
finish
