#!/bin/bash
# The terminal is given back on every way out: its settings, the screen that was there, the cursor.
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/screens/tmux.bash
. tests/screens/tmux.bash

shows() { tmux capture-pane -p -t screen | grep -qF -- "$1"; }
state() { tmux display-message -p -t screen "alternate=#{alternate_on} cursor=#{cursor_flag} keypad=#{keypad_cursor_flag} mouse=#{mouse_any_flag}"; }
has_state() { [ "$(state)" = "$1" ]; }
has_settings() { [ -n "$(settings)" ]; }
settings() { # of the terminal, as any program finds them
	stty -g -F "$(tmux display-message -p -t screen '#{pane_tty}')"
}
child() { # the process id of m1top
	local shell
	shell=$(tmux display-message -p -t screen '#{pane_pid}')
	cat "/proc/$shell/task/$shell/children"
}

n=0
result() { # name, empty or why not
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "# $2"
		tmux capture-pane -p -t screen 2>/dev/null | sed 's/^/# /'
	fi
}

# A shell without line editing, so that the settings seen are those that programs find.
open_shell() {
	tmux new-session -d -s screen -x 80 -y 24 "PS1='prompt: ' exec bash --noediting --norc -i"
	until_true shows 'prompt:' || why='no shell'
	before=$(settings)
	shell_state=$(state)
}

start() { # more options
	tmux send-keys -t screen "$(printf %q "$program") --backend sim -d 0.1 $*; echo it ended with \$?" Enter
	until_true shows 'SIMULATED' || why='no screen'
	until_true has_state "alternate=1 cursor=0 keypad=1 mouse=$([ "$*" = --no-mouse ] && echo 0 || echo 1)" || why="the screen was not taken: $(state)"
	[ "$(settings)" != "$before" ] || why='the settings are those of the shell'
}

back() { # the text that the shell writes then
	until_true shows "$1" || why="no \"$1\" after leaving"
	until_true has_state "$shell_state" || why="left behind: $(state)"
	[ "$(settings)" = "$before" ] || why="settings: $(settings), before: $before"
	shows SIMULATED && why="the picture is still there"
}

close_shell() {
	tmux kill-session -t screen
	until_true eval '! tmux has-session -t screen 2>/dev/null'
}

way_out() { # name, what the shell says, how to leave
	local name=$1 says=$2
	shift 2
	why=
	open_shell
	start
	"$@"
	back "$says"
	result "$name" "$why"
	close_shell
}

# shellcheck disable=SC2046 # a blank follows the number
signal() { kill "-$1" $(child); }

suspend_and_return() {
	tmux send-keys -t screen C-z
	back Stopped
	tmux send-keys -t screen "clear; fg" Enter
	until_true shows SIMULATED || why="no picture after fg"
	until_true has_state 'alternate=1 cursor=0 keypad=1 mouse=1' || why="not taken again: $(state)"
	tmux send-keys -t screen q
}

way_out 'q' 'it ended with 0' tmux send-keys -t screen q
way_out 'F10' 'it ended with 0' tmux send-keys -t screen F10
way_out 'Ctrl-C' 'it ended with 0' tmux send-keys -t screen C-c
way_out 'SIGTERM' 'it ended with' signal TERM
way_out 'SIGHUP' 'it ended with' signal HUP
case $SAN in
*address* | *thread*) way_out "SIGSEGV, and the sanitizer's report follows" 'Sanitizer: SEGV' signal SEGV ;;
*) way_out 'SIGSEGV, and it dies of it' 'it ended with 139' signal SEGV ;;
esac
way_out 'SIGABRT, and it dies of it' 'it ended with 134' signal ABRT
way_out "Ctrl-\\, and it dies of it" 'it ended with 131' tmux send-keys -t screen "C-\\"
way_out 'Ctrl-Z and fg' 'prompt:' suspend_and_return

why=
open_shell
start --no-mouse
result '--no-mouse leaves the mouse to the terminal' "$why"
close_shell

# What another program writes on the terminal, as wall does, goes: with figures, and where none come by Ctrl-L.
broadcast() { # options, then how it goes
	why=
	open_shell
	start "$1"
	printf '\033[1;1HBROADCAST\n\033[4;1Ha message' >"$(tmux display-message -p -t screen '#{pane_tty}')"
	shift
	"$@"
	until_true eval '! shows BROADCAST && ! shows "a message"' || why="it stays"
	close_shell
}

broadcast '' :
result 'what another program writes on the terminal goes' "$why"
broadcast '-d 3600' tmux send-keys -t screen C-l
result 'Ctrl-L draws the screen again' "$why"

# Where there is no terminal to take.
why=
tmux new-session -d -s screen -x 200 -y 24 "TERM=dumb $(printf %q "$program") --backend sim; sleep 60"
until_true shows TERM=dumb && shows 'm1top stat' || why='not told'
result 'TERM=dumb is refused, naming m1top stat' "$why"
text=$("$program" --backend sim </dev/null 2>&1 | cat)
[[ $text == *stat* ]] && why= || why="said: $text"
result 'no terminal is refused, naming m1top stat' "$why"
echo "1..$n"
