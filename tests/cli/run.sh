#!/bin/sh
# run.sh: what m1top prints for each tests/cli/VERB/NAME.cmd: stdout, stderr and exit status, compared
# with NAME.out. TAP. BLESS=1 rewrites them. A .cmd that ends with 77 is skipped.
# VERB/NAME as arguments picks some.
cd "$(dirname "$0")/../.." || exit
M1TOP=${M1TOP:-$PWD/m1top}
M1TOP_EVENTS=${M1TOP_EVENTS:-$PWD/events}
TZ=UTC LC_ALL=C.UTF-8
export M1TOP M1TOP_EVENTS TZ LC_ALL
unset SUDO_UID SUDO_GID NO_COLOR
cases=$PWD/tests/cli
man=$PWD/m1top.1
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
XDG_CONFIG_HOME=$work/config
export XDG_CONFIG_HOME
failed=0 n=0

m1top()
{
	"$M1TOP" "$@"
}

# What differs from machine to machine.
plain()
{
	sed -e 's/^\(#\| \) host .* backend /\1 host HOST kernel KERNEL backend /' -e "s:$work:WORK:g" -e "s:/tmp/tmp\.[^/]*/m1top:M1TOP:g"
}

report() # STATUS NAME
{
	n=$((n + 1))
	case $1 in
	0) echo "ok $n - $2" ;;
	77) echo "ok $n - $2 # SKIP cannot run here" ;;
	*) echo "not ok $n - $2"; failed=1 ;;
	esac
}

run() # VERB/NAME
{
	mkdir -p "$work/$1" && cd "$work/$1" || exit
	# shellcheck disable=SC1090
	(. "$cases/$1.cmd") </dev/null >"$work/stdout" 2>"$work/stderr"
	status=$?
	cd "$work" || exit
	[ $status = 77 ] && return 77
	{
		plain <"$work/stdout"
		echo "--- stderr"
		plain <"$work/stderr"
		echo "--- exit $status"
	} >"$work/got"
	[ -n "$BLESS" ] && cp "$work/got" "$cases/$1.out"
	diff -u "$cases/$1.out" "$work/got" >"$work/diff" && return 0
	sed 's/^/# /' "$work/diff"
	return 1
}

# shellcheck disable=SC2046 # no name has a blank
[ $# -gt 0 ] || set -- $(cd "$cases" && find . -name '*.cmd' | sed -e 's:^\./::' -e 's:\.cmd$::' | sort)
echo "1..$(($# + 1))"
for name; do
	run "$name"
	report $? "cli $name"
done
[ -n "$BLESS" ] && m1top --man >"$man"
m1top --man | cmp -s - "$man"
report $? "m1top.1 is what m1top --man prints (make man)"
exit $failed
