#!/bin/sh
# packages.sh: packages of both architectures, fetched and unpacked below build/vm, never installed
#
# usage: packages.sh update             read the package lists of this machine's archives
#        packages.sh kernel META ARCH     the newest kernel of linux-image-META: its full version
#        packages.sh headers VERSION ARCH  the packages a module for it is built with
#        packages.sh unpack DIR PACKAGE…  download and unpack into DIR
#
# apt works on lists and a cache of its own here: no root, and the machine knows no new architecture.
set -eu
cd "$(dirname "$0")/../.."
vm=$PWD/build/vm
host=$(dpkg --print-architecture)
export APT_CONFIG="$vm/apt/apt.conf"

configure() {
	mkdir -p "$vm/apt/lists/partial" "$vm/apt/cache/archives/partial" "$vm/debs"
	cat >"$APT_CONFIG" <<-END
		APT::Architectures { "$host"; "arm64"; "amd64"; };
		Dir::State "$vm/apt";
		Dir::State::status "/var/lib/dpkg/status";
		Dir::Cache "$vm/apt/cache";
		Acquire::Languages "none";
		APT::Sandbox::User "$(id -un)";
	END
}

# An archive without packages of one of them is a warning of apt's, not an end.
update() {
	configure
	echo "+ apt-get update (for arm64 and amd64, into build/vm/apt)"
	apt-get -q update >"$vm/apt/log" 2>&1 || { cat "$vm/apt/log" >&2 && return 1; }
}

kernel() { # meta arch
	apt-cache depends "linux-image-$1:$2" 2>/dev/null |
		sed -nE "s/^ *Depends: linux-image-([^:]*)(:$2)?\$/\1/p" | head -n 1 | grep .
}

headers() { # version arch
	echo "linux-headers-$1:$2"
	apt-cache depends "linux-headers-$1:$2" |
		sed -nE "s/^ *(Depends: )?(linux-headers-[^:]*-common|linux-kbuild-[^:]*)(:$2)?\$/\2/p" | sort -u
}

# Links to /lib and the like are meant for the root of that machine, which is the folder here.
mend_links() { # folder
	find "$1/usr/lib" -lname '/*' 2>/dev/null | while read -r link; do
		ln -sfn "$1$(readlink "$link")" "$link"
	done
}

# What was downloaded before is not downloaded again.
unpack() { # folder packages…
	dir=$1
	shift
	mkdir -p "$dir"
	uris=$(apt-get -q --print-uris download "$@")
	debs=$(echo "$uris" | awk '{ print $2 }')
	cd "$vm/debs"
	# shellcheck disable=SC2086 # a list of names
	if ! ls $debs >/dev/null 2>&1; then
		echo "+ apt-get download $* (unpacked below build/vm, not installed)"
		apt-get -q download "$@" >/dev/null
	fi
	for deb in $debs; do
		dpkg-deb -x "$deb" "$dir"
	done
	mend_links "$dir"
}

command=$1
shift
"$command" "$@"
