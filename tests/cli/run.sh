#!/bin/sh
# run.sh: what m1top prints for each tests/cli/VERB/NAME.cmd: stdout, stderr and exit status, compared
# with NAME.out. TAP. BLESS=1 rewrites them. A .cmd that ends with 77 is skipped, and so is what tests/lacks names.
# Those in tests/cli/without are run where m1top was built without what they are named after.
# VERB/NAME as arguments picks some.
cd "$(dirname "$0")/../.." || exit
M1TOP=${M1TOP:-$PWD/m1top}
M1TOP_EVENTS=${M1TOP_EVENTS:-$PWD/events}
TZ=UTC LC_ALL=C.UTF-8
export M1TOP M1TOP_EVENTS TZ LC_ALL
unset SUDO_UID SUDO_GID NO_COLOR
cases=$PWD/tests/cli
man=$PWD/m1top.1
lacks=$PWD/tests/lacks
schemas=$PWD/tests/schemas.py
work=$(mktemp -d) || exit
json=$work/json
mkdir "$json"
trap 'rm -rf "$work"' EXIT
XDG_CONFIG_HOME=$work/config
export XDG_CONFIG_HOME
failed=0 n=0

# What is JSON is kept, to be checked against its schema.
m1top()
{
	case " $* " in
	*' -j '* | *' --json '* | *'format json '*) ;;
	*) "$M1TOP" "$@"; return ;;
	esac
	[ ! -c /dev/stdout ] || { "$M1TOP" "$@"; return; }
	kept=$(mktemp "$json/$1.XXXXXX")
	"$M1TOP" "$@" >"$kept"
	set -- $?
	cat "$kept"
	return "$1"
}

# What differs from machine to machine, and what is said only where something takes long.
plain()
{
	sed -e '/^m1top: testing .*; Ctrl-C stops it$/d' -e 's/^\(#\| \) host .* backend /\1 host HOST kernel KERNEL backend /' -e "s:$work:WORK:g" -e "s:/tmp/tmp\.[^/]*/m1top:M1TOP:g"
}

report() # STATUS NAME
{
	n=$((n + 1))
	case $1 in
	0) echo "ok $n - $2" ;;
	77) echo "ok $n - $2 # SKIP $why" ;;
	*) echo "not ok $n - $2"; failed=1 ;;
	esac
}

run() # VERB/NAME
{
	why=$("$lacks" "cli/$1") && return 77
	why='cannot run here'
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

manual()
{
	why=$("$lacks" cli/manual) && return 77
	[ -n "$BLESS" ] && m1top --man >"$man"
	m1top --man | cmp -s - "$man"
}

[ $# -gt 0 ] && whole= || whole=1
# shellcheck disable=SC2046,SC2086 # no name has a blank
[ $# -gt 0 ] || set -- ${WITHOUT:+$(printf 'without/%s ' $WITHOUT)} \
	$(cd "$cases" && find . -name '*.cmd' ! -path './without/*' | sed -e 's:^\./::' -e 's:\.cmd$::' | sort)
echo "1..$(($# + 2))"
for name; do
	run "$name"
	report $? "cli $name"
done
manual
report $? "m1top.1 is what m1top --man prints (make man)"
n=$((n + 1))
"$schemas" "$json" ${whole:+all} | sed -n -e "s/ 1 - / $n - /" -e '/^1\.\./!p' >schemas.tap
cat schemas.tap
! grep -q ^not schemas.tap || failed=1
exit $failed
