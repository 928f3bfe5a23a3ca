# verbs, what follows them by their usage, and options where no word can follow
try() { echo "\$ m1top $*"; m1top --complete -- "$@" | cut -f 1 | head -n 9; }
try ""; try re; try list ""; try list pre; try list presets --demo xscale-; try list event --demo inst_branch_c
try events ""; try discover ""; try replay ""; try report a ""; try report a b ""
try doctor --demo ""; try doctor x ""; try nothing ""
