#!/bin/sh
# screenshots.sh: the pictures of README and docs, of what m1top shows in a terminal and a browser (make screenshots)
cd "$(dirname "$0")/.." || exit
export LC_ALL=C.UTF-8
unset NO_COLOR
conf=$(mktemp)
trap 'tmux kill-server 2>/dev/null; rm -f "$conf"' EXIT
printf 'set -g default-terminal tmux-256color\nset -s escape-time 0\nset -g status off\nset -s exit-empty off\n' >"$conf"

tmux() {
	command tmux -L "m1top-docs-$$" -f "$conf" "$@"
}

# Until the screen shows it, at most two minutes.
await() { # text
	for _ in $(seq 600); do
		tmux capture-pane -p | grep -qF -- "$1" && return
		sleep 0.2
	done
	echo "screenshots.sh: waited in vain for \"$1\"" >&2
	exit 1
}

start() { # columns rows arguments
	size="$1 $2"
	tmux new-session -d -x "$1" -y "$2" "./m1top $3"
}

shot() { # name
	# shellcheck disable=SC2086 # columns and rows are two arguments
	tmux capture-pane -e -p | docs/screenshot.py $size "docs/$1.png"
}

# The simulated M1: the same picture at every run.
start 120 34 '--backend sim:seed=7,clock=virtual,halt=120'
await halted
tmux send-keys j j j j j j j
await ' cpu5  '
shot live
tmux send-keys 5 Enter
await 'PMC5: event'
tmux send-keys -l 'mispred'
await '/ mispred'
shot picker
tmux kill-session

# Who mispredicts on the P cores.
start 120 34 '--backend sim:seed=7,clock=virtual,halt=120'
await halted
tmux send-keys 6 j j j j j T
await ' · cost '
await halted
shot tasks
tmux kill-session

# Two cores in the Graph view, all of them in the Heat view.
start 120 32 '--backend sim:seed=7,clock=virtual,halt=120 -d 0.1'
await halted
tmux send-keys j j 6 a j j j j j a Tab Tab Tab
await 'd ╍ cpu5'
shot graph
tmux send-keys Tab
await 'E cl: 0'
shot heat
tmux kill-session

# docs/tour.md, step by step.
start 120 34 '--backend sim:seed=7,clock=virtual,halt=120'
await halted
tmux send-keys '?'
await 'Marks'
shot tour-help
tmux send-keys Escape
sleep 1
tmux send-keys 6 s
await 'sorted by BR-MISP'
shot tour-sorted
tmux send-keys Tab Tab j j s
await 'sorted by BR-MPKI'
shot tour-metrics
tmux send-keys a Tab
await 'BR-MPKI /Kinst'
shot tour-graph
tmux kill-session

# The film of the tour.
for scene in simulated events hot; do
	docs/film.py $scene 160 45 "docs/film-$scene-160x45.cast" || exit
done

# This machine's own counters.
start 100 26 ''
sleep 45
shot software
tmux kill-session

# The page of a report, in a browser.
work=$(mktemp -d)
./m1top stat --backend sim:seed=7,clock=virtual,offline=2@20-35 -I 100 -n 600 -o "$work/run.csv" 2>/dev/null
(cd "$work" && "$OLDPWD/m1top" report -M TopdownL1,IPC --html run.html run.csv)
chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --hide-scrollbars \
	--window-size=1280,900 --screenshot="$work/run.png" "file://$work/run.html" 2>/dev/null
/usr/bin/python3 -c "import sys; from PIL import Image
Image.open(sys.argv[1]).convert('RGB').quantize(64).save(sys.argv[2], optimize=True)" "$work/run.png" docs/report.png
rm -rf "$work"
