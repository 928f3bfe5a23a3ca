#!/bin/sh
# m1top finds the driver's table of counters, all 256 ids, by the groups that the driver takes
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
table=/lib/modules/driver-masks

m1top discover --masks -o /tmp/masks.json >/tmp/out 2>/tmp/err
is "m1top discover ends well" $? 0
is "the driver's source has a table of 256 ids" "$(wc -l <$table)" 256
for type in E P; do
	found_masks $type /tmp/masks.json >/tmp/found
	is "type $type: the masks are the driver's" "$(diff /tmp/found $table | head -n 5)" ""
done
is "asked, not counted" "$(grep -c '"found": "driver"' /tmp/masks.json)" 512
finish
