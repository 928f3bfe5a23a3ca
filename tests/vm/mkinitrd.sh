#!/bin/sh
# mkinitrd.sh M1TOP OUT: the initramfs that all kernels share
#
# Kernels read several cpio archives in a row: each kernel's modules follow in an archive of their own.
set -eu
cd "$(dirname "$0")/../.."
m1top=$1 out=$2
arm64=build/vm/arm64
tree=build/vm/base
cross=/usr/aarch64-linux-gnu/lib

# The shared libraries a program needs, and those that they need.
libraries() { # files
	for name in $(aarch64-linux-gnu-readelf -d "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
		[ ! -e "$tree/lib/$name" ] || continue
		for folder in $arm64/lib/aarch64-linux-gnu $arm64/usr/lib/aarch64-linux-gnu $cross; do
			[ -e "$folder/$name" ] || continue
			cp -L "$folder/$name" "$tree/lib/$name"
			libraries "$folder/$name"
			break
		done
		[ -e "$tree/lib/$name" ] || { echo "mkinitrd.sh: no $name for $*" >&2 && exit 1; }
	done
}

rm -rf "$tree"
mkdir -p "$tree/bin" "$tree/lib" "$tree/vm" "$tree/usr/local/share/m1top" "$tree/usr/lib/locale" "$tree/tmp" "$tree/root"
install -m 755 tests/vm/init "$tree/init"
cp "$arm64/bin/busybox" "$tree/bin/"
aarch64-linux-gnu-strip "$m1top" -o "$tree/bin/m1top"
cp -r events "$tree/usr/local/share/m1top/"
cp -rL "$arm64/lib/terminfo" "$tree/lib/"
cp -r "$arm64/usr/lib/locale/C.utf8" "$tree/usr/lib/locale/"
libraries "$m1top"
[ ! -e build/vm/perf/perf ] || cp build/vm/perf/perf "$tree/bin/"
[ ! -e build/vm/perf/events ] || cp -r build/vm/perf/events "$tree/vm/linux-events"
cp -L $cross/ld-linux-aarch64.so.1 "$tree/lib/"
mkdir -p build/vm/guest
cp -r tests/vm/guest/. build/vm/guest/. "$tree/vm/"
find "$tree/vm" -name '*.[ch]' -delete
(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet) >"$out"
