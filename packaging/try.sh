#!/bin/sh
# try.sh: prove the Debian packages in a Debian with only the base system: built twice with the same bytes, checked,
# installed, used, tested, upgraded, removed and purged; say what each took, and what differs from `make install`
#
# usage: packaging/try.sh FOLDER [RELEASE [COMMIT]]       as root, with debootstrap here
# The system in FOLDER is made when it is missing; see packaging/system.sh. Headers of arm64 kernels that
# `make check-vm` has unpacked below build/vm are lent to the system, and DKMS builds the module for them.
set -eu
# shellcheck source=packaging/system.sh
. "$(dirname "$0")/system.sh"
version=$(sed -n 's/^VERSION := //p' "$folder/root/m1top/Makefile")
arch=$(chroot "$folder" dpkg --print-architecture)
failed=0

took() { # title command…: how long it took, and whether it went well
	title=$1
	shift
	start=$(date +%s)
	if "$@" </dev/null >"$folder.step" 2>&1; then
		echo "ok   $title ($(($(date +%s) - start)) s)"
	else
		echo "FAIL $title"
		tail -n 40 "$folder.step"
		failed=$((failed + 1))
	fi
	cat "$folder.step" >>"$folder.steps"
}

same() { # title got wanted
	if [ "$2" = "$3" ]; then
		echo "ok   $1"
	else
		printf 'FAIL %s\n%s\n-- instead of\n%s\n' "$1" "$2" "$3"
		failed=$((failed + 1))
	fi
}

hashes() {
	(cd "$folder/root/m1top/build/deb" && sha256sum ./*.deb)
}

build() { # version options
	took "make deb VERSION=$1 $2" inside "DEB_BUILD_OPTIONS=$2 make -s deb VERSION=$1"
}

install_packages() { # version
	took "apt install $1" inside "apt-get install -y -q --no-install-recommends --allow-downgrades ./build/deb/m1top_$1-*_$arch.deb \
		./build/deb/m1top-dkms_$1-*_all.deb ./build/deb/m1top-doc_$1-*_all.deb"
}

# What there is, with types and owners, but for the books that apt, dpkg, adduser and Python keep, and DKMS's own key.
files() {
	(cd "$folder" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./root -o -path ./tmp -o -path ./run \
		-o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \) -prune -o -printf '%y %u:%g %p\n') |
		sort | grep -v -e ' ./etc/ld.so.cache' -e ' ./etc/.*-$' -e '/var/lib/systemd' -e '/__pycache__' -e ' ./var/lib/dkms/mok\.'
}

# `make install` beside what the packages hold: the same files, but for what Debian's tools do.
compare_with_make_install() {
	made="DESTDIR=/tmp/made PREFIX=/usr VERSION=$version sysconfdir=/etc zshdir=/usr/share/zsh/vendor-completions packaging/install.sh"
	program="build/deb/m1top-$version/build/release/m1top m1top.1"
	inside "$made install $program" >/dev/null
	(cd "$folder/tmp/made" && find . -type f | sort) >"$folder.made"
	inside "$made uninstall $program" >/dev/null
	same "make uninstall leaves nothing of make install" "$(find "$folder/tmp/made" -type f)" ""
	for deb in "$folder"/root/m1top/build/deb/m1top*_"$version"-*.deb; do
		case $deb in *dbgsym*) continue ;; esac
		dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$'
	done | sort >"$folder.packed"
	echo "Files of make install (<) and of the packages (>):"
	diff "$folder.made" "$folder.packed" || true
}

# They name the place where they are, which they keep in there.
lend_headers() {
	for root in "$repo"/build/vm/*/root; do
		[ -d "$root" ] || continue
		root=$(readlink -f "$root")
		mkdir -p "$folder$root"
		mount --bind "$root" "$folder$root"
		for headers in "$root"/usr/src/linux-headers-*arm64*; do
			[ -e "$headers" ] || continue
			compiler=$(grep -oE 'gcc-[0-9]+' "$headers/.kernelvariables" | head -n 1)
			[ -e "$folder/usr/bin/aarch64-linux-gnu-$compiler" ] || continue # of another release
			ln -sfn "$headers" "$folder/usr/src/${headers##*/}"
		done
	done
}

# For DKMS_MODULES of tests/vm/mkmodules.sh.
keep_modules() {
	for module in "$folder"/var/lib/dkms/m1pmu/*/*/aarch64/module/m1pmu.ko*; do
		kernel=${module#"$folder"/var/lib/dkms/m1pmu/*/} && kernel=${kernel%%/*}
		[ ! -e "$module" ] || install -D -m 644 "$module" "$repo/build/dkms/$kernel/${module##*/}"
	done
}

tests() {
	took "autopkgtest" inside "autopkgtest -q --no-built-binaries build/deb/m1top_$version-*_$arch.deb build/deb/m1top-dkms_$version-*_all.deb \
		/root/m1top/build/deb/m1top-$version -- null || [ \$? = 2 ]" # 2: some were skipped
	grep -E '^[a-z]+ +(PASS|SKIP|FAIL)' "$folder.step" || true
}

rm -f "$folder.steps"
took "apt-get update" inside "apt-get update -q"
build "$version" "" # installs what it needs and runs the unit tests, too
first=$(hashes)
build "$version" nocheck
same "two builds, the same bytes" "$(hashes)" "$first"
echo "$first"
(cd "$folder/root/m1top/build/deb" && stat -c '%s bytes %n' ./*.deb)
took "lintian (Debian's own, of its release)" inside "apt-get install -y -q lintian autopkgtest adduser libcap2-bin dkms gcc-aarch64-linux-gnu pahole tmux procps python3 && cd build/deb &&
	lintian --allow-root --fail-on error,warning m1top_$version-*_$arch.changes"
grep -E '^[EWIP]:' "$folder.step" || echo "lintian has nothing to say"
compare_with_make_install
lend_headers
before=$(files)
install_packages "$version"
took "it counts" inside "m1top stat -e page-faults true"
tests
keep_modules
took "the group m1top, asked for" inside "echo m1top m1top/group boolean true | debconf-set-selections &&
	dpkg-reconfigure -f noninteractive m1top && getcap /usr/bin/m1top | grep -q cap_perfmon"
same "its members may start it, and nobody else" "$(inside "stat -c '%a %U %G' /usr/bin/m1top")" '750 root m1top'
inside "useradd -m ada && adduser -q ada m1top" >/dev/null 2>&1
took "a member counts the whole machine without sudo" inside "setpriv --reuid=ada --regid=ada --init-groups m1top stat -a -n 1 -e context-switches"
echo 'M1TOP_SERVE="-P overview"' >>"$folder/etc/default/m1top-serve" # what its user has changed
higher=$version.1
build "$higher" nocheck
install_packages "$higher"
took "after the upgrade it is $higher, and members may still start it" inside "m1top --version | grep -qx 'm1top $higher' && getcap /usr/bin/m1top | grep -q cap_perfmon"
same "what the user has changed is kept" "$(tail -n 1 "$folder/etc/default/m1top-serve")" 'M1TOP_SERVE="-P overview"'
took "apt remove" inside "apt-get remove -y -q m1top m1top-dkms m1top-doc"
same "its configuration stays" "$(tail -n 1 "$folder/etc/default/m1top-serve")" 'M1TOP_SERVE="-P overview"'
inside "userdel -r ada" >/dev/null 2>&1
took "apt purge" inside "apt-get purge -y -q m1top m1top-dkms m1top-doc"
echo "$before" >"$folder.before"
same "nothing is left" "$(files | diff "$folder.before" -)" ""
echo "$failed failed"
[ $failed = 0 ]
