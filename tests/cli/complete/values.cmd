# by the placeholder of the option
try() { echo "\$ m1top $*"; m1top --complete -- "$@"; }
try --theme ""; try --by p; try stat --by p; try stat --format ""; try stat --format=c; try --backend s; try --demo -C 3,
try discover --kernels load,s; try stat -d ""; try stat --demo=; try -o ""; try --html=; try report --html=run
try --events-dir ""; try discover --trigger ""
