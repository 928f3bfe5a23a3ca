#!/bin/sh
# packaging/deps.sh on machines with other package managers, each played by a script that says what it is told
cd "$(dirname "$0")/../.." || exit
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
n=0

check() { # name, what was printed, pattern
	n=$((n + 1))
	if echo "$2" | grep -qE -e "$3"; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "$2" | sed 's/^/# /'
		echo "# lacks: $3"
	fi
}

# A machine with nothing but a shell's tools and these programs, which say how they were called.
# None of them knows a package called linux-perf or qemu-user.
machine() { # programs…
	rm -f "$bin"/*
	for tool in sh cat cut dirname env grep head sed sort tr; do
		ln -s "$(command -v $tool)" "$bin/$tool"
	done
	for program in "$@"; do
		printf '#!/bin/sh\necho "%s $*"\ncase $* in *linux-perf|*qemu-user) exit 1 ;; esac\n' "$program" >"$bin/$program"
		chmod +x "$bin/$program"
	done
	printf '#!/bin/sh\necho %s\n' "${uid:-0}" >"$bin/id"
	chmod +x "$bin/id"
}

deps() { # groups…
	env -i PATH="$bin" packaging/deps.sh "$@" 2>&1
}

machine apt-get apt-cache
check "apt installs" "$(deps build)" '^apt-get install -y .*libcjson-dev .*libncurses-dev'
check "features have groups of their own" "$(deps serve zstd)" '^apt-get install -y .*libmicrohttpd-dev .*libzstd-dev'
check "building without them needs none" "$(deps build | grep -cE 'microhttpd|gnutls|yaml|crypt|zstd')" '^0$'
check "apt says so before" "$(deps build)" '^\+ .*apt-get install -y .*libcjson-dev'
check "the second name where the first is unknown" "$(deps bench)" '^apt-get install .*linux-tools-generic'
machine dnf
check "dnf installs" "$(deps build check)" '^dnf install -y .*cjson-devel .*libcmocka-devel .*ncurses-devel'
check "what dnf does not have is left out, and said" "$(deps check)" 'no package with qemu-aarch64 here'
machine pacman
check "pacman installs" "$(deps build check)" '^pacman -S --noconfirm --needed .*cjson cmocka .*ncurses'
machine zypper
check "zypper installs" "$(deps build)" '^zypper --non-interactive install .*cJSON-devel .*ncurses-devel'

uid=1000
machine dnf sudo
check "a user installs through sudo" "$(deps build)" '^sudo dnf install -y '
machine dnf
check "a user without sudo is told the line" "$(deps build)" '^dnf install -y .*ncurses-devel'
machine
check "without a package manager the needs are listed" "$(deps build)" '^ncursesw$'
echo "1..$n"
