#!/bin/sh
# check-kmod.sh KERNEL: the kernel module as kernel people look at it: checkpatch, sparse, all warnings
set -u
cd "$(dirname "$0")/../.." || exit
kernel=$1
dir=$PWD/build/vm/kmod
module=src/pmu/kmod
n=0

report() { # name, faults
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

if [ -e "build/vm/$kernel/missing" ]; then
	echo "1..0 # SKIP $(cat "build/vm/$kernel/missing")"
	exit 0
fi

# checkpatch comes with the kernel's source alone
mkdir -p "$dir/scripts"
if [ ! -e "$dir/scripts/checkpatch.pl" ]; then
	tests/vm/packages.sh unpack "$dir/source" linux-source-6.1
	tar -C "$dir" --strip-components=1 --wildcards -xJf "$dir/source/usr/src/linux-source-6.1.tar.xz" \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' '*/scripts/const_structs.checkpatch'
	rm -rf "$dir/source"
fi
# compat.h is there for LINUX_VERSION_CODE, which checkpatch takes for a constant on the left
report "checkpatch" "$(perl "$dir/scripts/checkpatch.pl" --no-tree --terse --quiet --no-summary \
	--max-line-length=100 --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON -f $module/*.[ch] 2>&1)"

rm -rf "$dir/build"
cp -r $module "$dir/build"
report "sparse, and gcc at W=1" "$(make -s -C "build/vm/$kernel/headers" M="$dir/build" ARCH=arm64 \
	CROSS_COMPILE=aarch64-linux-gnu- CONFIG_DEBUG_INFO_BTF_MODULES= C=2 W=1 clean modules 2>&1)"
echo "1..$n"
