#!/bin/sh
# fresh.sh: prove that a Debian with only the base system, git and make gets from a clone to a live
# screen with `make run`, and through `make check`; say how long each took
#
# usage: packaging/fresh.sh FOLDER [RELEASE [COMMIT]]       as root, with debootstrap and tmux here
# The system in FOLDER is made when it is missing, of this machine's release of Debian or of RELEASE (trixie); packages
# come from this machine's mirror, in the way that its apt is configured to fetch them.
set -eu

# shellcheck source=packaging/system.sh
. "$(dirname "$0")/system.sh"

screen() {
	tmux -L fresh capture-pane -p -t run
}

# `make run` in a terminal, until the live screen shows its first cores.
run() {
	start=$(date +%s)
	tmux -L fresh -f /dev/null new-session -d -s run -x 120 -y 40 \
		"chroot $folder env -i PATH=$path HOME=/root TERM=screen-256color LANG=C.UTF-8 \
		sh -c 'cd /root/m1top && make run 2>&1 || { echo failed; sleep 60; }'"
	until screen | grep -Eq '^ *cpu1 |^failed'; do
		[ $(($(date +%s) - start)) -lt 900 ] || break
		sleep 1
	done
	took=$(($(date +%s) - start))
	screen | tee "$folder.run.log"
	tmux -L fresh send-keys -t run q
	sleep 1
	tmux -L fresh kill-server 2>/dev/null || true
	grep -Eq '^ *cpu1 ' "$folder.run.log" || { echo "make run: no live screen in $took s"; exit 1; }
	echo "make run: $took s to the live screen"
}

check() {
	start=$(date +%s)
	rc=0
	inside 'make check' </dev/null >"$folder.check.log" 2>&1 || rc=$?
	grep -E '^(FAIL|skip)|^[0-9]+ passed' "$folder.check.log" || true
	echo "make check: $(($(date +%s) - start)) s, exit status $rc"
	return $rc
}

run
check
