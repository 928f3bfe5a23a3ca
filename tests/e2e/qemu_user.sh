#!/bin/sh
# qemu_user.sh: the arm64 machine code that reads Apple's registers, run under qemu-user without such a machine
cd "$(dirname "$0")/../.." || exit
compiler=${CROSS_CC-aarch64-linux-gnu-gcc}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

skip() {
	echo "1..0 # SKIP reading Apple's registers at EL0: $*"
	exit 0
}

command -v "$compiler" >/dev/null || skip "no $compiler"
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip "no qemu-aarch64"
echo 'int main(void) { return 0; }' >"$dir/empty.c"
"$compiler" -static -o "$dir/empty" "$dir/empty.c" 2>/dev/null || skip "no C library for arm64"

# -O2 as in the program: what the compiler makes of the inline assembly is what is tested.
"$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -Isrc -I. -static -pthread \
	-o "$dir/apple_registers" tests/qemu/apple_registers.c src/pmu/apple/regs.c \
	src/base/err.c src/base/cpus.c src/base/num.c src/base/ascii.c -lm || exit
# a processor that has none of these registers: qemu gives some of its Cortexes a few of that range
"$emulator" -cpu neoverse-n1 "$dir/apple_registers"
