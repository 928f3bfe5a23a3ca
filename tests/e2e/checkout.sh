#!/bin/sh
# Makefile: in a checkout that only its owner may enter, with a blank and an apostrophe in its path: make -n changes
# nothing, names what it would build, and paths reach the compiler and install.sh as they were given
cd "$(dirname "$0")/../.." || exit
tmp=$(mktemp -d "/tmp/m1top it's-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MAKELEVEL
# shellcheck source=tests/is.sh
. tests/is.sh

contents() {
	find . -type f -exec cksum {} + -o -type d -print | sort
}

for file in * .ci; do
	case $file in build | m1top) ;; *) cp -r "$file" "$tmp/" ;; esac
done
cd "$tmp" || exit
before=$(contents)
for target in $(make -s help | awk '{ print $2 }'); do
	make -n "$target" >/dev/null 2>&1 </dev/null
	is "make -n $target changes nothing" "$(contents)" "$before"
done
is "make -n programs" "$(make -n programs 2>&1 | grep -c -e 'rm -f .*libm1top.a' -e 'No rule')" 1
is "make check leaves ./m1top" "$(make -n check SAN= 2>&1 | grep -c '^ln -sfn .*/m1top m1top$')" 1
is "PREFIX reaches the compiler" \
	"$(make PREFIX="/a b'c" build/release/pmu/catalog/dir.o CC=gcc SAN= WERROR= WITHOUT= 2>&1 >/dev/null;
		grep -aoc "/a b'c/share/m1top/events" build/release/pmu/catalog/dir.o)" 1
is "DESTDIR and PREFIX reach install.sh" "$(eval "$(make -n install DESTDIR="$tmp/d e'f" PREFIX="/a b'c" | tail -n 1 |
	sed 's|packaging/install.sh.*||')" "sh -c 'echo \"\$DESTDIR\$PREFIX\"'")" "$tmp/d e'f/a b'c"
echo "1..$n"
exit $failed
