#!/bin/sh
# what a tick costs through the module and from EL0, for the report: emulated registers trap, so only the ratio says something
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

module=$(tick_cost apple)
el0=$(tick_cost apple:el0)
ok "module path: $module microseconds of CPU time a tick of eight cores, EL0 path: $el0"
finish
