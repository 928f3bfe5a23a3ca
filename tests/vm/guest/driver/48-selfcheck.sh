#!/bin/sh
# doctor --selfcheck on Arm's own PMU, whose instructions qemu counts
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

m1top doctor --selfcheck >/tmp/check 2>&1
is "it ends well" $? 0
sed 's/^/# /' /tmp/check
finish
