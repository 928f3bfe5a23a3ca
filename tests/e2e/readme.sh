#!/bin/sh
# readme.sh: every command in the README's console blocks ends as the README says: with 0, or with
# the figure behind `$ echo $?`. TAP. Those with a screen get a terminal and one interval.
cd "$(dirname "$0")/../.." || exit
readme=$PWD/README.md
M1TOP_EVENTS=${M1TOP_EVENTS:-$PWD/events} TERM=xterm-256color LC_ALL=C.UTF-8
export M1TOP_EVENTS TERM LC_ALL
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
ln -s "${M1TOP:-$PWD/m1top}" "$work/m1top"
XDG_CONFIG_HOME=$work/config
export XDG_CONFIG_HOME
cd "$work" || exit

# Lines of "STATUS COMMAND".
commands() {
	awk '
	function flush() { if (command) print status, command; command = "" }
	/^```/ { flush(); inside = $0 == "```console"; next }
	!inside { next }
	wanted { status = $1; wanted = 0; next }
	$0 == "$ echo $?" { wanted = 1; next }
	sub(/^\$ /, "") { flush(); command = $0; status = 0 }
	END { flush() }' "$readme"
}

run() { # COMMAND
	case $1 in
	'./m1top -'*) script -qec "$1 -n 1" /dev/null ;;
	*) sh -c "$1" ;;
	esac </dev/null >output 2>&1
}

report() { # WANTED GOT COMMAND
	n=$((n + 1))
	case $2 in
	"$1") echo "ok $n - $3" ;;
	3 | 4 | 127) echo "ok $n - $3 # SKIP cannot count here, or no script(1)" ;;
	*)
		echo "not ok $n - $3"
		echo "# ended with $2"
		sed 's/^/# /' output
		;;
	esac
}

n=0
commands >list
echo "1..$(wc -l <list)"
while read -r wanted command; do
	run "$command"
	report "$wanted" $? "$command"
done <list
