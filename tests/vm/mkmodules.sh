#!/bin/sh
# mkmodules.sh KERNEL FOLDER…: build these kernel modules for build/vm/KERNEL, into its modules.cpio
#
# With DKMS_MODULES=build/dkms m1pmu is the one that DKMS has built from the package there (packaging/try.sh).
set -eu
cd "$(dirname "$0")/../.."
target=$1
# shellcheck source=tests/vm/arch.sh
. tests/vm/arch.sh
dir=$PWD/build/vm/$1
shift
rm -rf "$dir/modules" && mkdir -p "$dir/modules/lib/modules"

# The stock Apple driver, unmodified, joins its shim where the kernel does not have it built in.
for folder in "$@"; do
	name=$(basename "$folder")
	[ "$name" != m1drv ] || [ -e "$dir/driver.c" ] || continue
	[ "$name" != chips ] || [ -e "$dir/chips" ] || continue
	cp -r "$folder" "$dir/modules/$name"
	[ "$name" != chips ] || cp "$dir"/chips/*.c "$dir/modules/chips/"
	[ "$name" != m1drv ] || cp "$dir/driver.c" "$dir/modules/m1drv/apple_m1_cpu_pmu.c"
	make -s -C "$dir/headers" M="$dir/modules/$name" ARCH=$ARCH CROSS_COMPILE=$CROSS_COMPILE \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules
	for module in "$dir/modules/$name"/*.ko; do
		${CROSS_COMPILE}strip --strip-debug "$module" -o "$dir/modules/lib/modules/$(basename "$module")"
	done
done

dkms=${DKMS_MODULES-}/$(cat "$dir/release")
for module in "$dkms"/m1pmu.ko*; do
	case $module in
	*.xz) xz -dc "$module" >"$dir/modules/lib/modules/m1pmu.ko" ;;
	*.ko) cp "$module" "$dir/modules/lib/modules/" ;;
	esac
done

# Which counters that driver takes each event on, by its own source.
for driver in "$dir/driver.c" "$dir"/source/*/drivers/perf/apple_m1_cpu_pmu.c; do
	[ ! -e "$driver" ] || tests/vm/driver-masks.sh "$driver" >"$dir/modules/lib/modules/driver-masks"
done

# Debian's own drivers of SMMUv3 counters, two sensors and the I2C bus, as they come.
for name in perf/arm_smmuv3_pmu hwmon/lm75 hwmon/jc42 i2c/i2c-dev; do
	module=$(ls "$dir"/root/lib/modules/*/kernel/drivers/$name.ko* 2>/dev/null || true)
	case $module in
	*.xz) xz -dc "$module" >"$dir/modules/lib/modules/$(basename "$module" .xz)" ;;
	*.ko) cp "$module" "$dir/modules/lib/modules/" ;;
	esac
done
(cd "$dir/modules" && find lib | cpio -o -H newc -R 0:0 --quiet) >"$dir/modules.cpio"
