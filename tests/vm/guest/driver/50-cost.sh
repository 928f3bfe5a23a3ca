#!/bin/sh
# what a tick costs through perf, for the report: beside apple/50-cost.sh
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

ok "perf path: $(tick_cost perf) microseconds of CPU time a tick of eight cores"
finish
