#!/bin/sh
# check-kmod.sh KERNEL: the kernel module as kernel people look at it: checkpatch, sparse, all warnings
set -u
cd "$(dirname "$0")/../.." || exit
kernel=$1
dir=$PWD/build/vm/$kernel/kmod
scripts=$PWD/build/vm/checkpatch
module=kmod
n=0
unset MAKEFLAGS # the jobs of whoever runs the tests are not ours

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

# compat.h is there for LINUX_VERSION_CODE, which checkpatch takes for a constant on the left
report "checkpatch" "$(perl "$scripts/checkpatch.pl" --no-tree --terse --quiet --no-summary \
	--max-line-length=100 --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON -f $module/*.[chS] 2>&1)"

rm -rf "$dir"
cp -r $module "$dir"
report "sparse, and gcc at W=1" "$(make -s -C "build/vm/$kernel/headers" M="$dir" ARCH=arm64 \
	CROSS_COMPILE=aarch64-linux-gnu- CONFIG_DEBUG_INFO_BTF_MODULES= C=2 W=1 clean modules 2>&1)"

# All CPU numbers of user space's go through it.
fenced=$(aarch64-linux-gnu-objdump -d --disassemble=m1pmu_check_cpu "$dir/m1pmu.ko" | grep -c csdb)
report "a CPU number is bounded under speculation too" "$([ "$fenced" != 0 ] || echo "m1pmu_check_cpu has no csdb")"
echo "1..$n"
