#!/bin/sh
# last: nothing of all this made the kernel complain
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

lacks "no complaint of the kernel" "$(dmesg)" \
	'Oops|BUG:|WARNING:|Call trace|rcu.*stall|soft lockup|Internal error|Unable to handle'
finish
