# where a command begins the shell goes on by itself
try() { echo "\$ m1top $*"; m1top --complete -- "$@"; }
try stat ""; try stat -e cycles ma; try stat make -; try stat -- ""; try stat -I 5 -- ls --color=a
try doctor -- ""; try replay --to-stat -- a
m1top --complete; m1top --complete stat
