#!/bin/sh
# types of core apart; threads of a core and sockets together
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

case $SERVER in
hybrid)
	m1top stat --events-dir /vm/linux-events -n 1 -I 200 --budget 100 --by type -M TopdownL1 >/tmp/table 2>&1
	sed 's/^/# /' /tmp/table
	has "TopdownL1 of the P cores" "$(cat /tmp/table)" ' P +.*30\.00 +10\.00 +.*20\.00 +40\.00'
	has "and of the E cores, by themselves" "$(cat /tmp/table)" ' E +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ '
	;;
intel)
	m1top stat -n 1 -I 200 --budget 100 --by socket -e cycles >/tmp/table 2>&1
	sed 's/^/# /' /tmp/table
	is "a row for each socket" "$(grep -cE ' socket [01] ' /tmp/table)" 2
	m1top stat -n 1 -I 200 --budget 100 --by physical-core -e cycles >/tmp/table 2>&1
	sed 's/^/# /' /tmp/table
	is "a row for the two threads of each core" "$(grep -cE ' cpu[0-9]-[0-9] ' /tmp/table)" 4
	;;
esac
finish
