#!/bin/sh
# discover with two programs, counted as tasks by the kernel's Apple driver: both core types, each by its own PMU
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# shellcheck disable=SC2016 # for the shell that discover starts
m1top discover --quick --ids 0x02,0x8c --name loop --control true \
	--trigger 'i=0; while [ $i -lt {n} ]; do i=$((i + 1)); done' >/tmp/found 2>&1
is "it ends well" $? 0
found=$(cat /tmp/found)
for type in E P; do
	has "$type: a loop takes instructions" "$found" "^$type +0x8c +INST_ALL .* loop +(related|k=|cycles)|^$type +0x8c .* all +cycles"
done
lacks "nothing is lost" "$found" 'lost'
sed 's/^/# /' /tmp/found
finish
