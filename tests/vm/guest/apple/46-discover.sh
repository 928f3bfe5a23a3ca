#!/bin/sh
# the same through the module
# shellcheck source=tests/vm/guest/driver/46-discover.sh
. /vm/driver/46-discover.sh
