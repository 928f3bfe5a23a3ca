#!/bin/sh
# kernel.sh: a kernel to boot and to build modules for
#
# usage: kernel.sh NAME    fills build/vm/NAME: image, release, headers (a link), and of arm64 driver.c and chips
#
# NAME is a series of Debian's kernels, with -16k for 16 KiB pages or -amd64 (6.1, 6.12-16k), or "builtin": the
# same source as 6.1 built small, with the Apple driver in it. A series that the machine's archives do
# not have leaves build/vm/NAME/missing, which says so.
set -eu
cd "$(dirname "$0")/../.."
name=$1
dir=$PWD/build/vm/$name
packages=tests/vm/packages.sh
target=$name
# shellcheck source=tests/vm/arch.sh
. tests/vm/arch.sh
series=${name%%-*}

# The meta-packages that may depend on the newest kernel of a series.
metas() {
	case $name in
	*-16k) echo "$series-arm64-16k arm64-16k" ;;
	*) echo "$series-cloud-$arch cloud-$arch" ;;
	esac
}

newest() {
	for meta in $(metas); do
		version=$($packages kernel "$meta" "$arch") || continue
		case $version in "$series".*) echo "$version" && return ;; esac
	done
	return 1
}

# Debian's headers name their own place in /usr/src: here they are below build/vm.
relocate() { # headers
	sed -i "s#^include /usr/src/#include $dir/root/usr/src/#" "$1/Makefile"
}

# The Apple driver, and emulated chips of sensors with a driver for one, all of which Debian's arm64 kernels leave out.
driver_source() {
	drivers=linux-source-$series/drivers
	$packages unpack "$dir/source" "linux-source-$series"
	tar -C "$dir/source" --occurrence=1 -xJf "$dir/source/usr/src/linux-source-$series.tar.xz" \
		"$drivers/perf/apple_m1_cpu_pmu.c" "$drivers/i2c/i2c-stub.c" "$drivers/hwmon/ina2xx.c"
	mkdir -p "$dir/chips"
	cp "$dir/source/$drivers/perf/apple_m1_cpu_pmu.c" "$dir/driver.c"
	cp "$dir/source/$drivers/i2c/i2c-stub.c" "$dir/source/$drivers/hwmon/ina2xx.c" "$dir/chips/"
	rm -rf "$dir/source"
}

from_debian() {
	if ! version=$(newest); then
		echo "no package has an $arch kernel $name here" | tee "$dir/missing"
		return
	fi
	# shellcheck disable=SC2046 # a list of packages
	$packages unpack "$dir/root" "linux-image-$version:$arch" $($packages headers "$version" "$arch")
	relocate "$dir/root/usr/src/linux-headers-$version"
	[ $arch != arm64 ] || driver_source
	ln -sfn "$dir/root/usr/src/linux-headers-$version" "$dir/headers"
	ln -sf "$dir/root/boot/vmlinuz-$version" "$dir/image"
	echo "$version" >"$dir/release"
}

# The driver is built in, as on Asahi: allnoconfig and a short list of what is needed.
built_in() {
	series=6.1
	source=$dir/source/linux-source-$series
	$packages unpack "$dir/source" "linux-source-$series"
	tar -C "$dir/source" -xJf "$source.tar.xz" 2>/dev/null ||
		tar -C "$dir/source" -xJf "$dir/source/usr/src/linux-source-$series.tar.xz"
	rm -rf "$dir/source/usr"
	kmake="make -s -C $source O=$dir/tree ARCH=$ARCH CROSS_COMPILE=$CROSS_COMPILE"
	$kmake allnoconfig
	(cd "$dir/tree" && "$source/scripts/kconfig/merge_config.sh" -m -O . .config "$OLDPWD/tests/vm/kernel.config") >/dev/null
	$kmake olddefconfig
	echo "+ building a small arm64 kernel with the Apple driver in it: some minutes"
	$kmake -j"$(nproc)" Image modules
	ln -sfn "$dir/tree" "$dir/headers"
	ln -sf "$dir/tree/arch/arm64/boot/Image" "$dir/image"
	cp "$dir/tree/include/config/kernel.release" "$dir/release"
}

mkdir -p "$dir"
rm -f "$dir/missing"
case $name in
builtin) built_in ;;
*) from_debian ;;
esac
