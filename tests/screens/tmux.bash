# shellcheck shell=bash
# tmux.bash: m1top in a terminal of its own; sourced by tests that look at screens
# Sets program, work (a folder that goes at the end); leaves with a skip where there is no tmux.
# shellcheck disable=SC2034 # of who sources it
program=${M1TOP:-$PWD/m1top}
# tmux starts commands by $SHELL: dash would end at the Ctrl-C that its program handles, and fish has other variables
export M1TOP_EVENTS=${M1TOP_EVENTS:-$PWD/events} LC_ALL=C.UTF-8 SHELL=$BASH
unset NO_COLOR COLUMNS LINES
work=$(mktemp -d)
socket=m1top-tests-$$
tmux() { command tmux -L "$socket" -f "$work/conf" "$@"; }
trap 'tmux kill-server 2>/dev/null; rm -rf "$work"' EXIT
printf 'set -g default-terminal screen-256color\nset -s escape-time 0\nset -g status off\nset -s exit-empty off\n' >"$work/conf"

if ! command -v tmux >/dev/null; then
	echo "1..0 # SKIP tmux is not installed"
	exit
fi

# Nothing ever comes through it: a read from it sleeps without starting a program.
exec {never}<> <(:)

# Poll, at most 90 s (it may be slow, but not stuck), until a command succeeds.
until_true() {
	local end=$((SECONDS + ${LIMIT_S:-90}))
	while [ $SECONDS -lt $end ]; do
		"$@" && return
		read -rt 0.02 -u "$never"
	done
	return 1
}
