#!/bin/bash
# Golden screens: runs m1top in tmux as each tests/screens/NAME.keys says and compares with NAME.txt.
# BLESS=1 rewrites them. Names as arguments pick some.
#
#   size W H       of the terminal
#   env A=B        for the program
#   file NAME TEXT a file in the folder that m1top runs in
#   record FILE ARGS  let m1top stat write a session
#   edit FILE SED  change a file
#   run ARGS       start m1top
#   wait TEXT      until TEXT is on the screen
#   keys K…        send keys by tmux's names
#   type TEXT      send text as it is
#   mouse REPORT   what the mouse did, as terminals tell it: 0;10;5M is a click in column 10, line 5
#   old-mouse B X Y  the same in the older form: button, column, line
#   style          compare colours and attributes too
#   holds FILE TEXT  until the file, in the folder that m1top runs in, holds it
#   uncompared     the picture at the end differs from run to run
cd "$(dirname "$0")/.." || exit
# shellcheck source=tests/screens/tmux.bash
. tests/screens/tmux.bash

style=
capture() { # the screen without blanks at line ends
	tmux capture-pane -p $style -t screen | sed 's/ *$//'
}

shows() { capture | grep -qF -- "$1"; }
is_golden() { capture | cmp -s - "$1"; }

# The same picture twice, a fifth of a second apart.
is_still() {
	capture >"$work/one"
	sleep 0.2
	capture | cmp -s - "$work/one"
}

old_report() { # button, column, line
	local n
	# shellcheck disable=SC2059 # the format is the character
	for n in "$@"; do printf "\\x$(printf %x $((n + 32)))"; done
}

step() { # one line of a script
	local verb=$1 rest=$2
	# shellcheck disable=SC2086 # `keys`: one word a key
	case $verb in
	'' | '#'*) ;;
	size) size=$rest ;;
	env) environment="$environment $rest" ;;
	mouse) tmux send-keys -t screen -l -- $'\033[<'"$rest" ;;
	old-mouse)
		# shellcheck disable=SC2086 # three numbers
		tmux send-keys -t screen -l -- $'\033[M'"$(old_report $rest)" ;;
	style) style=-e ;;
	uncompared) compared= ;;
	holds) until_true grep -qsF -- "${rest#* }" "$work/${rest%% *}" || why="not in the file: $rest" ;;
	file) printf '%s\n' "${rest#* }" >"$work/${rest%% *}" ;;
	record) (cd "$work" && rm -f "${rest%% *}" && "$program" stat ${rest#* } -o "${rest%% *}" 2>said) || why=$(cat "$work/said") ;;
	edit) sed -i "${rest#* }" "$work/${rest%% *}" || why="cannot edit ${rest%% *}" ;;
	run)
		tmux new-session -d -c "$work" -s screen -x "${size% *}" -y "${size#* }" \
			"env $environment '$program' $rest; echo; echo exit status \$?; sleep 60" ;;
	wait) until_true shows "$rest" || why="waited in vain for \"$rest\"" ;;
	keys) tmux send-keys -t screen $rest ;;
	type) tmux send-keys -t screen -l -- "$rest" ;;
	*) why="no such step: $verb" ;;
	esac
}

play() { # a script: leaves `why` empty when it went through
	why='' style='' compared=yes size='80 24' environment=''
	while read -r verb rest && [ -z "$why" ]; do
		step "$verb" "$rest"
	done <"$1"
}

judge() { # a script that was played
	local golden=${1%.keys}.txt
	[ -n "$why" ] || [ -z "$compared" ] && return
	if [ -n "$BLESS" ]; then
		until_true is_still
		capture >"$golden"
	elif ! until_true is_golden "$golden"; then
		why="another screen than $golden"
		capture | diff -u "$golden" - >"$work/diff"
	fi
}

[ $# -gt 0 ] || set -- tests/screens/*.keys

# Mostly they wait: several run side by side, each with a terminal of its own.
side_by_side() { # scripts…
	local i=0 script
	for script in "$@"; do
		echo "$script" >>"$work/share$((i % SIDE_BY_SIDE))"
		i=$((i + 1))
	done
	for ((i = 0; i < SIDE_BY_SIDE; i++)); do
		SIDE_BY_SIDE=1 xargs "$0" <"$work/share$i" >"$work/said$i" &
	done
	wait
	awk '/^1\.\./ { next }
		/^(not )?ok / { n++; sub(/ok [0-9]+/, "ok " n) }
		{ print }
		END { print "1.." n + 0 }' "$work"/said[0-9]*
}

SIDE_BY_SIDE=${SIDE_BY_SIDE:-4}
if [ $# -gt 8 ] && [ "$SIDE_BY_SIDE" -gt 1 ]; then
	side_by_side "$@"
	exit
fi
n=0
for script in "$@"; do
	case $script in */*) ;; *) script=tests/screens/$script.keys ;; esac
	n=$((n + 1))
	: >"$work/diff"
	play "$script"
	judge "$script"
	if [ -z "$why" ]; then
		echo "ok $n - $(basename "$script" .keys)"
	else
		echo "not ok $n - $(basename "$script" .keys)"
		echo "# $why"
		{ cat "$work/diff"; echo; capture; } | sed 's/^/# /'
	fi
	tmux kill-server 2>/dev/null
	until_true eval '! tmux has-session 2>/dev/null'
done
echo "1..$n"
