#!/bin/sh
# mkinitrd.sh ARCH M1TOP OUT: the initramfs that all kernels of an architecture share
#
# Kernels read several cpio archives in a row: each kernel's modules follow in an archive of their own.
set -eu
cd "$(dirname "$0")/../.."
target=$1
# shellcheck source=tests/vm/arch.sh
. tests/vm/arch.sh
m1top=$2 out=$3
packages=build/vm/$arch
tree=build/vm/base-$arch
# where a cross compiler has its C library, and where this machine has its own
folders="$packages/lib/$triplet $packages/usr/lib/$triplet /usr/$triplet/lib /lib/$triplet"

# The shared libraries a program needs, those that it loads, and those that they need.
libraries() { # file [names]
	for name in $("${CROSS_COMPILE}readelf" -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u) ${2-}; do
		[ ! -e "$tree/lib/$name" ] || continue
		for folder in $folders; do
			[ -e "$folder/$name" ] || continue
			cp -L "$folder/$name" "$tree/lib/$name"
			libraries "$folder/$name"
			break
		done
		[ -e "$tree/lib/$name" ] || { echo "mkinitrd.sh: no $name for $1" >&2 && exit 1; }
	done
}

rm -rf "$tree"
mkdir -p "$tree/bin" "$tree/lib" "$tree/lib64" "$tree/vm" "$tree/usr/local/share/m1top" "$tree/usr/lib/locale" "$tree/tmp" "$tree/root"
install -m 755 tests/vm/init "$tree/init"
cp "$packages/bin/busybox" "$tree/bin/"
"${CROSS_COMPILE}strip" "$m1top" -o "$tree/bin/m1top"
cp -r events "$tree/usr/local/share/m1top/"
cp -rL "$packages/lib/terminfo" "$tree/lib/"
cp -r "$packages/usr/lib/locale/C.utf8" "$tree/usr/lib/locale/"
libraries "$m1top" "libmicrohttpd.so.12 libgnutls.so.30"
[ ! -e build/vm/perf-$arch/perf ] || cp build/vm/perf-$arch/perf "$tree/bin/"
[ ! -e build/vm/perf-$arch/events ] || cp -r build/vm/perf-$arch/events "$tree/vm/linux-events"
cp -L "/usr/$triplet/$loader" "$tree/$loader" 2>/dev/null || cp -L "/$loader" "$tree/$loader"
cp -r tests/vm/guest/. "$tree/vm/"
cp -r "build/vm/guest-$arch/." "$tree/vm/"
find "$tree/vm" -name '*.[ch]' -delete
(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet) >"$out"
