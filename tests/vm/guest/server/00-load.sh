#!/bin/sh
# the machine's PMUs, and Linux's files of its events
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

is "the model is loaded" "$(insmod /lib/modules/pmu_model.ko profile="$SERVER" 2>&1)" ""
m1top doctor --events-dir /vm/linux-events 2>&1 | sed 's/^/# /'
finish
