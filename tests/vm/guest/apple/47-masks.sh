#!/bin/sh
# m1top finds on which counters the emulation counts each of 256 ids, by setting it on all of them
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# counts as the driver's table says; event 0 has no rate otherwise
while read -r id mask; do
	emulate mask "$id" "$mask"
	echo "$id $(printf '0x%03x' $((mask & 0x3fc)))" # PMC0 and PMC1 cannot be set
done </lib/modules/driver-masks >/tmp/wanted
emulate rate E 0 7
emulate rate P 0 7

m1top discover --masks -o /tmp/masks.json >/tmp/out 2>/tmp/err
is "m1top discover ends well" $? 0
is "the driver's source has a table of 256 ids" "$(wc -l </tmp/wanted)" 256
for type in E P; do
	found_masks $type /tmp/masks.json >/tmp/found
	is "type $type: the masks are those that count" "$(diff /tmp/found /tmp/wanted | head -n 5)" ""
done

# what no list says, and an id that nothing happens to
emulate mask 0xa6 0x210
emulate rate P 0x40 0
m1top discover --masks --ids 0x40,0xa6 -C 5 -o /tmp/masks.json --force >/tmp/out 2>/tmp/err
is "and so for two ids on one core" $? 0
is "an id counts where it does, whatever lists say; one that never counts is left out" \
	"$(found_masks P /tmp/masks.json | grep -v '0x40 0x000')" "0xa6 0x210"
emulate rates
emulate masks
finish
