#!/bin/sh
# every metric of Linux's files for this machine: m1top's value is perf's
# shellcheck source=tests/vm/guest/server/metrics.sh
. /vm/server/metrics.sh

case $SERVER in
hybrid)
	compare_all "-C 0" cpu_core
	compare_all "-C 4" cpu_atom
	;;
*) compare_all -a "" ;;
esac
finish
