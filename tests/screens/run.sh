#!/bin/bash
# Golden screens: runs m1top in tmux as each tests/screens/VIEW/NAME.keys says and compares with NAME.txt.
# BLESS=1 rewrites them. VIEW/NAME as arguments picks some.
#
#   size W H       of the terminal; once it runs, resize it
#   env A=B        for the program
#   file NAME TEXT a file in the folder that m1top runs in
#   record FILE ARGS  let m1top stat write a session
#   edit FILE SED  change a file
#   copy FOLDER    of the project, to that folder
#   metrics NAMES  that are known, without names those of preset overview: others do not change the screen
#   run ARGS       start m1top
#   wait TEXT      until TEXT is on the screen
#   keys K…        send keys by tmux's names
#   type TEXT      send text as it is
#   mouse REPORT   what the mouse did, as terminals tell it: 0;10;5M is a click in column 10, line 5
#   old-mouse B X Y  the same in the older form: button, column, line
#   sequence TEXT  what a terminal sends for a key: Esc and this
#   style          compare colours and attributes too
#   holds FILE TEXT  until the file, in the folder that m1top runs in, holds it
#   lacks FILE TEXT  the file does not hold it
#   sizes NAME     compare with NAME-80x24.txt, -120x40, -200x50 and -40x10, at these sizes
#   uncompared     the picture at the end differs from run to run, or has been compared
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/screens/tmux.bash
. tests/screens/tmux.bash

style=
capture() { # the screen without blanks at line ends
	if [ -n "$style" ]; then
		tmux capture-pane -p -e -t screen | awk -f tests/screens/style.awk
	else
		tmux capture-pane -p -t screen | sed 's/ *$//'
	fi
}

shows() { # without starting anything but tmux: it is asked often
	local screen
	screen=$(tmux capture-pane -p -t screen)
	[[ $screen == *"$1"* ]]
}
is_golden() { capture | cmp -s - "$1"; }

# The same picture twice, a fifth of a second apart.
is_still() {
	capture >"$work/one"
	read -rt 0.2 -u "$never"
	capture | cmp -s - "$work/one"
}

n=0
report() { # name, why not, or empty
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
		return
	fi
	echo "not ok $n - $1"
	echo "# $2"
	{ cat "$work/diff"; echo; capture; } | sed 's/^/# /'
	: >"$work/diff"
}

compare() { # name; sets `why` when it is another screen
	local golden=tests/screens/$1.txt
	if [ -n "$BLESS" ]; then
		until_true is_still
		capture >"$golden"
	elif ! until_true is_golden "$golden"; then
		why="another screen than $golden"
		capture | diff -u "$golden" - >"$work/diff"
	fi
}

has_last_line() { [ -n "$(tmux capture-pane -p -t screen | sed -n "$1p")" ]; }

resize() { # columns, rows; when it grows until it is drawn
	tmux resize-window -t screen -x "$1" -y "$2"
	until_true has_last_line "$2"
}

compare_sizes() { # name
	local at
	for at in 80x24 120x40 200x50 40x10; do
		resize "${at%x*}" "${at#*x}"
		compare "$1-$at"
		report "$1-$at" "$why"
		why=
	done
}

old_report() { # button, column, line
	local n
	# shellcheck disable=SC2059 # the format is the character
	for n in "$@"; do printf "\\x$(printf %x $((n + 32)))"; done
}

start() { # arguments
	tmux new-session -d -c "$folder" -s screen -x "${size% *}" -y "${size#* }" \
		"env $environment $(printf %q "$program") $1; echo; echo exit status \$?; sleep 60"
	is_running=yes
}

step() { # one line of a script
	local verb=$1 rest=$2
	# shellcheck disable=SC2086 # `keys`: one word a key; `size`: two numbers
	case $verb in
	'' | '#'*) ;;
	size) if [ -n "$is_running" ]; then resize $rest; else size=$rest; fi ;;
	env) environment="$environment $rest" ;;
	mouse) tmux send-keys -t screen -l -- $'\033[<'"$rest" ;;
	old-mouse) tmux send-keys -t screen -l -- $'\033[M'"$(old_report $rest)" ;;
	sequence) tmux send-keys -t screen -l -- $'\033'"$rest" ;;
	style) style=yes ;;
	sizes) compare_sizes "$(dirname "$script")/$rest" ;;
	uncompared) compared= ;;
	holds) until_true grep -qsF -- "${rest#* }" "$folder/${rest%% *}" || why="not in the file: $rest" ;;
	lacks) ! grep -qsF -- "${rest#* }" "$folder/${rest%% *}" || why="in the file: $rest" ;;
	file) printf '%s\n' "${rest#* }" >"$folder/${rest%% *}" ;;
	record) (cd "$folder" && rm -f "${rest%% *}" && "$program" stat ${rest#* } -o "${rest%% *}" 2>said) || why=$(cat "$folder/said") ;;
	metrics)
		tests/screens/keep_metrics.py "$folder/events" $rest || why="cannot copy events"
		environment="$environment M1TOP_EVENTS=$folder/events"
		;;
	copy) cp -r "$rest" "$folder" || why="cannot copy $rest" ;;
	edit) sed -i "${rest#* }" "$folder/${rest%% *}" || why="cannot edit ${rest%% *}" ;;
	run) start "$rest" ;;
	wait) until_true shows "$rest" || why="waited in vain for \"$rest\"" ;;
	keys) tmux send-keys -t screen $rest ;;
	type) tmux send-keys -t screen -l -- "$rest" ;;
	*) why="no such step: $verb" ;;
	esac
}

# The script of a screen: of one size it is the script of all of them.
script_of() { # path, or view and name
	local name=${1#tests/screens/}
	name=${name%.keys}
	[ -e "tests/screens/$name.keys" ] ||
		name=$(cd tests/screens && grep -lx "sizes $(basename "${name%-*}")" "$(dirname "$name")"/*.keys)
	echo "${name%.keys}"
}

play() { # a script's view and name: leaves `why` empty when it went through
	if why=$(tests/lacks "screens/$1"); then
		report "$1 # SKIP $why"
		return
	fi
	script=$1 why='' style='' compared=yes size='80 24' environment='' is_running='' folder=$work/$1
	mkdir -p "$folder"
	while read -r verb rest && [ -z "$why" ]; do
		step "$verb" "$rest"
	done <"tests/screens/$1.keys"
	[ -n "$why" ] || [ -z "$compared" ] || compare "$1"
	if [ -n "$why$compared" ] || [ $n -eq "$n_before" ]; then report "$1" "$why"; fi
	tmux kill-session -t screen 2>/dev/null
}

[ $# -gt 0 ] || set -- tests/screens/*/*.keys

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

SIDE_BY_SIDE=${SIDE_BY_SIDE:-8}
if [ $# -gt 8 ] && [ "$SIDE_BY_SIDE" -gt 1 ]; then
	side_by_side "$@"
	exit
fi
: >"$work/diff"
for wanted in "$@"; do
	n_before=$n
	name=$(script_of "$wanted")
	if [ -n "$name" ]; then play "$name"; else report "$wanted" "there is no such screen"; fi
done
echo "1..$n"
