#!/bin/sh
# packaging/install.sh: what `make install` puts where, and that `make uninstall` takes all of it away again
cd "$(dirname "$0")/../.." || exit
tmp=$(mktemp -d "/tmp/m1top install's-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/is.sh
. tests/is.sh

run() { # install|uninstall
	DESTDIR=$tmp/root PREFIX=/opt/m1top VERSION=9.8.7 packaging/install.sh "$1" "$M1TOP" m1top.1
}

files() {
	find "$tmp/root" -type f | sed "s|^$tmp/root||" | sort
}

run install >"$tmp/out"
is "all that it says is there, and nothing else" "$(sed -n "s|^  INSTALL $tmp/root||p" "$tmp/out" | sort)" "$(files)"
is "nothing is outside of PREFIX" "$(files | grep -v '^/opt/m1top/')" ""
is "the program starts" "$("$tmp/root/opt/m1top/bin/m1top" --version | head -n 1)" "$("$M1TOP" --version | head -n 1)"
is "its page is the one that it prints" "$("$M1TOP" --man | cmp - "$tmp/root/opt/m1top/share/man/man1/m1top.1" 2>&1)" ""
is "its events are all there" "$(cd "$tmp/root/opt/m1top/share/m1top/events" && find . -type f | sort)" \
	"$(cd events && find . -type f | sort)"
is "the unit starts this program with the options of this file" \
	"$(grep -oE '^(ExecStart|EnvironmentFile)=[^ ]+' "$tmp/root/opt/m1top/lib/systemd/system/m1top-serve.service")" \
	"EnvironmentFile=-/opt/m1top/etc/default/m1top-serve
ExecStart=/opt/m1top/bin/m1top"
is "the module's source is in a folder of its version, as DKMS wants it" \
	"$(grep VERSION "$tmp/root/opt/m1top/src/m1pmu-9.8.7/dkms.conf")" 'PACKAGE_VERSION="9.8.7"'
is "nothing that is installed names a place in /usr/local" \
	"$(cd "$tmp/root/opt/m1top" && grep -rlI /usr/local etc lib share/applications share/fish)" ""

echo 'M1TOP_SERVE="-P overview"' >>"$tmp/root/opt/m1top/etc/default/m1top-serve"
# What an older version had: an event file of another name, and the module's source.
mv "$tmp/root/opt/m1top/share/m1top/events/arm64/apple/m1/branch.json" \
	"$tmp/root/opt/m1top/share/m1top/events/arm64/apple/m1/branches.json"
mv "$tmp/root/opt/m1top/src/m1pmu-9.8.7" "$tmp/root/opt/m1top/src/m1pmu-9.8.6"
run install >"$tmp/out"
is "a second install leaves nothing of the first but what it says" \
	"$( (sed -n "s|^  INSTALL $tmp/root||p" "$tmp/out" && echo /opt/m1top/etc/default/m1top-serve) | sort)" "$(files)"
is "and keeps what its user has changed" \
	"$(tail -n 1 "$tmp/root/opt/m1top/etc/default/m1top-serve")" 'M1TOP_SERVE="-P overview"'
run uninstall >"$tmp/out"
is "uninstall leaves that, and nothing else" "$(files)" /opt/m1top/etc/default/m1top-serve
is "and says so" "$(sed -n "s|^  KEEP *$tmp/root||p" "$tmp/out")" /opt/m1top/etc/default/m1top-serve
is "no folder of its own is left" "$(find "$tmp/root" -type d -name 'm1*' | grep -v /opt/m1top$)" ""
echo "1..$n"
exit $failed
