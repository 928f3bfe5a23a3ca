#!/bin/sh
# deps.sh: install the packages that building, testing or measuring m1top needs and this machine lacks
#
# usage: packaging/deps.sh [GROUP…]     install what is missing of build, serve, zstd, sensors, symbols, check …; of the first five by default
#        packaging/deps.sh --table      the table of docs/packages.md
set -u

# group  what is looked for  | apt | dnf | pacman | zypper | why
# A group with "?" is optional: what the package manager does not have is left out, and the tests
# that use it are skipped. a/b: the first of these packages that the manager knows. -: there it is not
# needed, or there is none.
table() {
	cat <<'END'
build  command gcc                | gcc | gcc | gcc | gcc | compiles it
build  command make               | make | make | make | make | drives the build
build  command ar                 | binutils | binutils | binutils | binutils | the library that program and tests link
build  header stdio.h             | libc6-dev | glibc-devel | glibc | glibc-devel | the C library
build  header linux/perf_event.h  | linux-libc-dev | kernel-headers | linux-api-headers | linux-glibc-devel | perf_event_open
build  command pkg-config         | pkg-config | pkgconf-pkg-config | pkgconf | pkgconf-pkg-config | finds libraries
build  module ncursesw            | libncurses-dev | ncurses-devel | ncurses | ncurses-devel | the screen
build  module libcjson            | libcjson-dev | cjson-devel | cjson | cJSON-devel | reads events/*.json and the configuration
zstd   module libzstd             | libzstd-dev | libzstd-devel | zstd | libzstd-devel | session files that end in .zst
sensors header sensors/sensors.h | libsensors-dev | lm_sensors-devel | lm_sensors | libsensors4-devel | power, temperatures and fans of hwmon chips
symbols module libelf             | libelf-dev | elfutils-libelf-devel | libelf | libelf-devel | functions of programs and libraries
symbols module libdw              | libdw-dev | elfutils-devel | elfutils | libdw-devel | their lines, inlined calls and build ids
symbols header lzma.h             | liblzma-dev | xz-devel | xz | xz-devel | the symbols that Fedora packs into stripped files
symbols header capstone/capstone.h | libcapstone-dev | capstone-devel | capstone | libcapstone-devel | instructions of functions
symbols header libiberty/demangle.h | libiberty-dev | binutils-devel | binutils | binutils-devel | demangles C++ and Rust, as perf does
serve  module yaml-0.1            | libyaml-dev | libyaml-devel | libyaml | libyaml-devel | its web configuration file
serve  header microhttpd.h        | libmicrohttpd-dev | libmicrohttpd-devel | libmicrohttpd | libmicrohttpd-devel | HTTP and TLS
serve  header gnutls/gnutls.h     | libgnutls28-dev | gnutls-devel | gnutls | libgnutls-devel | checks its key; base64
serve  header crypt.h             | libcrypt-dev | libxcrypt-devel | libxcrypt | libxcrypt-devel | passwords
check  module cmocka              | libcmocka-dev | libcmocka-devel | cmocka | libcmocka-devel | unit tests
check  command python3            | python3 | python3 | python | python3 | runs and sums the tests; the project's own checks
check  command bash               | bash | bash | bash | bash | drives the screen tests
check  command tmux               | tmux | tmux | tmux | tmux | the terminal of the screen tests
check  command git                | git | git | git | git | knows which files are the project's
lint   command clang              | clang | clang | clang | clang | the second compiler, warning-free too
lint   command clang-format       | clang-format | clang-tools-extra | clang | clang-tools/clang | make lint: formatting (version 14)
lint   command clang-tidy         | clang-tidy | clang-tools-extra | clang | clang-tools/clang | make lint: bug patterns
lint   command cppcheck           | cppcheck | cppcheck | cppcheck | cppcheck | make lint: a second opinion
lint?  command shellcheck         | shellcheck | ShellCheck | shellcheck | ShellCheck | make lint: the shell scripts
check? command perf               | linux-perf/linux-tools-generic | perf | perf | perf | the peer that counts are compared with
check? command openssl            | openssl | openssl | openssl | openssl | certificates for the tests of serve
check? library libasan            | gcc | libasan | gcc-libs | gcc | make SAN=address
check? library libubsan           | gcc | libubsan | gcc-libs | gcc | make SAN=undefined
check? library libtsan            | gcc | libtsan | gcc-libs | gcc | make SAN=thread
check? command aarch64-linux-gnu-gcc | gcc-aarch64-linux-gnu | gcc-aarch64-linux-gnu | aarch64-linux-gnu-gcc | cross-aarch64-gcc12/cross-aarch64-gcc13 | the arm64 machine code in the tests
check? file /usr/aarch64-linux-gnu/lib/libc.a | libc6-dev-arm64-cross | - | aarch64-linux-gnu-glibc | - | likewise: its C library
check? command qemu-aarch64       | qemu-user | qemu-user | qemu-user | qemu-linux-user | likewise: what runs it
check? python jsonschema          | python3-jsonschema | python3-jsonschema | python-jsonschema | python3-jsonschema | JSON is as docs/schema says
check? command zstd               | zstd | zstd | zstd | zstd | unpacks a session file for pandas
bench  command htop               | htop | htop | htop | htop | a peer that the screen's cost is compared with
bench  command btop               | btop | btop | btop | btop | another
bench? command perf               | linux-perf/linux-tools-generic | perf | perf | perf | the peer that the cost of a tick is compared with
bench  command python3            | python3 | python3 | python | python3 | measures
docs   command tmux               | tmux | tmux | tmux | tmux | make screenshots: the terminal
docs   python rich                | python3-rich | python3-rich | python-rich | python3-rich | make screenshots: reads its colours
docs   python PIL                 | python3-pil | python3-pillow | python-pillow | python3-Pillow | make screenshots: draws them
docs   command chromium           | chromium/chromium-browser | chromium | chromium | chromium | make screenshots: the page of a report
docs   font DejaVuSansMono.ttf   | fonts-dejavu-core | dejavu-sans-mono-fonts | ttf-dejavu | dejavu-fonts | make screenshots: has the blocks and dots
ci?    command prometheus          | prometheus | golang-github-prometheus | prometheus | golang-github-prometheus-prometheus | scrapes serve in its tests; Debian starts one of its own, too
ci?    python pandas              | python3-pandas | python3-pandas | python-pandas | python3-pandas | loads session files in one line
ci?    file /usr/lib/systemd/systemd | systemd | systemd | systemd | systemd | starts the unit of serve in its tests
ci?    command chromium           | chromium/chromium-browser | chromium | chromium | chromium | opens the page of m1top report --html
ci?    command valgrind            | valgrind | valgrind | valgrind | valgrind | counts how work grows with cores and tasks
ci?    command zsh                | zsh | zsh | zsh | zsh | the tests of its completions
ci?    command fish               | fish | fish | fish | fish | likewise
ci?    file /usr/share/bash-completion/bash_completion | bash-completion | bash-completion | bash-completion | bash-completion | likewise, with bash
deb    command dpkg-buildpackage  | dpkg-dev | - | - | - | make deb: builds the packages
deb    command g++                | build-essential | - | - | - | make deb: dpkg-buildpackage wants it
deb    command dh                 | debhelper | - | - | - | make deb: puts files into them
deb    command dh_dkms            | dh-dkms | - | - | - | make deb: m1top-dkms
deb    command po2debconf         | po-debconf | - | - | - | make deb: the question that m1top asks
rpm    command rpmbuild           | rpm | rpm-build | - | - | make rpm: builds the packages
rpm    command eu-strip           | elfutils | elfutils | - | - | make rpm: separates debugging symbols
rpm    command file               | file | file | - | - | make rpm: tells it which files have them
rpm    file /usr/lib/rpm/macros.d/macros.systemd | - | systemd-rpm-macros | - | - | make rpm: where units are
rpm    command desktop-file-validate | desktop-file-utils | desktop-file-utils | - | - | make rpm: checks the entry for menus
arch   command makepkg            | makepkg | - | pacman | - | make arch: builds the packages
arch   command pacman             | pacman-package-manager | - | pacman | - | make arch: makepkg asks it
arch   command fakeroot           | fakeroot | - | fakeroot | - | make arch: files that root will own
arch   command debugedit          | debugedit | - | debugedit | - | make arch: packages of debugging symbols
arch   command bsdtar             | libarchive-tools | - | libarchive | - | make arch: unpacks and packs
vm     command qemu-system-aarch64 | qemu-system-arm | - | - | - | make check-vm: the machine
vm     command qemu-system-x86_64 | qemu-system-x86 | - | - | - | make check-vm: the servers
vm     command aarch64-linux-gnu-gcc | gcc-aarch64-linux-gnu | - | - | - | make check-vm: builds for it
vm     file /usr/aarch64-linux-gnu/lib/libc.a | libc6-dev-arm64-cross | - | - | - | make check-vm: its C library
vm     command dtc                | device-tree-compiler | - | - | - | make check-vm: its device tree
vm     command cpio               | cpio | - | - | - | make check-vm: its first file system
vm     command xz                 | xz-utils | - | - | - | make check-vm: unpacks the kernel's source
vm     command bc                 | bc | - | - | - | make check-vm: builds kernels
vm     command flex               | flex | - | - | - | make check-vm: builds kernels
vm     command sparse             | sparse | - | - | - | make check-vm: a look at the kernel module
vm     command bison              | bison | - | - | - | make check-vm: builds kernels
END
}

die() {
	echo "deps.sh: $*" >&2
	exit 1
}

# The package manager: its column in the table, how it installs, how it is asked for a package.
find_manager() {
	update=''
	if command -v apt-get >/dev/null; then
		column=apt knows='apt-cache show'
		update='apt-get update -q'
		install='env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends'
	elif command -v dnf >/dev/null; then
		column=dnf knows='dnf -q info' install='dnf install -y'
	elif command -v pacman >/dev/null; then
		column=pacman knows='pacman -Si' install='pacman -S --noconfirm --needed'
		# Fresh lists alone would make this a partial upgrade, which Arch does not support.
		[ -e /var/lib/pacman/sync/core.db ] || update='pacman -Sy'
	elif command -v zypper >/dev/null; then
		column=zypper knows='zypper -q search --match-exact'
		install='zypper --non-interactive install --no-recommends'
	else
		column='' knows=false install=''
	fi
}

# Is it there? The thing itself is looked for, not a package: a library built by hand is good too.
have() { # kind name
	case $1 in
	command) command -v "$2" >/dev/null ;;
	module) pkg-config --exists "$2" 2>/dev/null ;;
	file) [ -e "$2" ] ;;
	header) echo "#include <$2>" | gcc -E - >/dev/null 2>&1 ;;
	font) find /usr/share/fonts -name "$2" 2>/dev/null | grep -q . ;;
	python) /usr/bin/python3 -c "import $2" 2>/dev/null ;;
	library) case $(gcc -print-file-name="$2.so" 2>/dev/null) in /*) ;; *) false ;; esac ;;
	esac
}

# The rows of these groups that are not there: "group name packages".
# shellcheck disable=SC2034 # the columns are read through $column
missing() { # groups
	table | while IFS='|' read -r head apt dnf pacman zypper why; do
		read -r group kind name <<-END
			$head
		END
		case " $* " in *" ${group%\?} "*) ;; *) continue ;; esac
		have "$kind" "$name" && continue
		eval "packages=\$$column"
		case "$group:$packages" in *[!?]:" - ") ;; *) echo "$group $name $packages" ;; esac
	done
}

# The first of a/b/c that the manager knows; fails when it knows none.
known() { # packages
	for package in $(echo "$1" | tr / ' '); do
		[ "$package" != - ] && $knows "$package" >/dev/null 2>&1 && echo "$package" && return
	done
	return 1
}

# What to install for the lines of missing().
choose() {
	while read -r group name packages; do
		if package=$(known "$packages"); then
			echo "$package"
		elif [ "$group" = "${group%\?}" ]; then
			echo "${packages%%/*}" # let the manager say that it has none
		else
			echo "deps.sh: no package with $name here: what needs it is skipped" >&2
		fi
	done | sort -u | tr '\n' ' '
}

# How to become root; fails when there is no way.
find_sudo() {
	if [ "$(id -u)" = 0 ]; then
		sudo=''
	elif command -v sudo >/dev/null; then
		sudo=sudo
	elif command -v doas >/dev/null; then
		sudo=doas
	else
		return 1
	fi
}

as_root() {
	echo "+ $sudo${sudo:+ }$*"
	$sudo "$@"
}

# shellcheck disable=SC2016 # those are markdown's backquotes
markdown() {
	echo '| for | needs | apt | dnf | pacman | zypper | why |'
	echo '|---|---|---|---|---|---|---|'
	table | sed -E 's/^([a-z?]+) +[a-z]+ +([^ ]+) *\|/| \1 | `\2` |/; s/ \| *([^|]*[^| ]) *$/ | \1 |/'
}

main() {
	[ "${1-}" = --table ] && markdown && return
	[ $# -gt 0 ] || set -- build serve zstd sensors symbols
	find_manager
	rows=$(missing "$@")
	[ -n "$rows" ] || return 0
	[ -n "$column" ] || die "none of apt-get, dnf, pacman, zypper is here; please install:
$(echo "$rows" | cut -d' ' -f2)"
	find_sudo || die "not root, and neither sudo nor doas is there; as root, run:
$install $(echo "$rows" | choose)"
	# Fresh package lists, but not at every run for an optional package that no list has.
	if [ -n "$update" ] && echo "$rows" | grep -qv '^[a-z]*? '; then
		# shellcheck disable=SC2086 # a command of several words
		as_root $update || echo "deps.sh: going on with the old package lists" >&2
	fi
	packages=$(echo "$rows" | choose)
	# shellcheck disable=SC2086 # likewise
	[ -z "$packages" ] || as_root $install $packages || die "could not install $packages"
}

main "$@"
