# the last item of a list; what stands before it stays
try() { echo "\$ m1top $*"; m1top --complete -- "$@"; }
try --demo -e INST_INT; try --demo -e inst_int; try --demo -e cyc; try --demo --event=INST_ALL,PMC5=INST_INT_A
try --demo -eINST_INT_A; try --demo -e cpu/event=1,umask=2/,INST_INT_A; try --demo -e cpu/event=1,INST_INT_A
try --demo -M 'x=f(A,IP'; try --demo -M x=A/B,IP; try --demo -M Top; try --demo -P branch,xscale-i; try --demo -P ""
try --demo -e nothing; try --events-dir /nowhere -e ""
