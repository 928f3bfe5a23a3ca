# those of the verb, but for those that were given and can be given once
try() { echo "\$ m1top $*"; m1top --complete -- "$@"; }
try list -; try stat --inter; try --inter; try stat -I 5 --inter; try stat --interval-print 5 --inter
try stat -e cycles --ev; try stat --no-such --demo --de; try stat -d --dem; try stat --all
