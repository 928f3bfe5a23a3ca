#!/bin/sh
# shellcheck disable=SC2317 # functions that check calls
# packaging/hardware-report: every part is in the one file, and nobody's names are
cd "$(dirname "$0")/../.." || exit
tmp=$(mktemp -d /tmp/m1top-report-XXXXXX)
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

check() { # name command…
	n=$((n + 1))
	name=$1
	shift
	if "$@" >"$tmp/seen"; then
		echo "ok $n - $name"
	else
		failed=1
		echo "not ok $n - $name"
		sed 's/^/# /' "$tmp/seen"
	fi
}

lacks() { # pattern
	! grep -nE "$1" "$tmp/report"
}

parts() {
	grep '^==== ' "$tmp/report" >"$tmp/parts"
	cat "$tmp/parts"
	[ "$(wc -l <"$tmp/parts")" -ge 7 ]
}

# An m1top that says what a private machine could have it say, and how it was called.
cat >"$tmp/m1top" <<'END'
#!/bin/sh
echo "called: $*"
echo "# host $(uname -n) kernel 6.12 backend perf"
echo "ok /home/ada/.config/m1top/config.json, /export/ada/m1top/config.json and /root/log.csv"
echo "!  other users of counters: secretgame (4711) (stop them, or count fewer events)"
echo "m1top: the PMU is in use by secretgame (4711)"
echo "m1top: cpu 1: the counters do not run, another tool holds them: secretgame (4711)"
END
cat >"$tmp/dmesg" <<'END'
#!/bin/sh
echo "[    9.000000] m1pmu: secretgame (process 4711) needs CAP_PERFMON or CAP_SYS_ADMIN"
echo "[    9.100000] armv8_pmu: the kernel's own"
END
chmod +x "$tmp/m1top" "$tmp/dmesg"

check "it ends well" env M1TOP="$tmp/m1top" HOME=/export/ada PATH="$tmp:$PATH" packaging/hardware-report "$tmp/report"
check "it has its parts" parts
check "what m1top says is in it" grep -q '^called: stat -I 1000 -n 10 --format csv$' "$tmp/report"
check "and what the kernel says" grep -q "^armv8_pmu: the kernel's own$" "$tmp/report"
check "no name of the machine" lacks "\<$(uname -n)\>"
check "no name of a user" lacks 'ada|/root'
check "no name of a program" lacks 'secretgame|4711'
mkdir -p "$tmp/share/m1top" && cp packaging/hardware-report "$tmp/share/m1top"
check "installed it takes the m1top of PATH" env -u M1TOP PATH="$tmp:$PATH" "$tmp/share/m1top/hardware-report" "$tmp/report"
check "which is called" grep -q '^called: doctor$' "$tmp/report"
check "no folder that it was started from" lacks "$tmp"
check "a folder that cannot be written to is an error" \
	sh -c "! M1TOP='$tmp/m1top' packaging/hardware-report '$tmp/none/report' 2>/dev/null"
echo "1..$n"
exit $failed
