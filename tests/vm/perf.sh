#!/bin/sh
# perf.sh ARCH: perf of Linux 6.12 and its files of the events of some processors, into build/vm/perf-ARCH
#
# What m1top shows is compared with it. Debian's own package needs Perl, Python and 40 MB of libraries in
# the guest, and that of Debian 12 is too old to know a metric of this processor. This one is the same
# source without options, linked statically: under a minute. Where the archives do not have the source
# nothing is made, and the tests that compare are skipped.
set -eu
cd "$(dirname "$0")/../.."
series=6.12
target=$1
# shellcheck source=tests/vm/arch.sh
. tests/vm/arch.sh
dir=$PWD/build/vm/perf-$arch
source=$dir/linux-source-$series
events=tools/perf/pmu-events/arch/$ARCH
case $arch in
amd64) models="alderlake sapphirerapids amdzen4" ;;
*) models="arm/neoverse-n1 arm/neoverse-n2-v2" ;;
esac

# What tools/perf/MANIFEST lists, and a little more.
unpack() {
	tar -C "$dir" -xJf "$dir/usr/src/linux-source-$series.tar.xz" --wildcards \
		"linux-source-$series/tools/*" "linux-source-$series/scripts/*" \
			"linux-source-$series/arch/*/tools/*" "linux-source-$series/arch/x86/lib/*" "linux-source-$series/Makefile" \
		"linux-source-$series/arch/*/include/uapi/asm/bpf_perf_event.h"
	rm -rf "${dir:?}/usr"
}

# Nothing of the environment: perf takes CC and the like from there.
build() {
	echo "+ building perf for $arch: about a minute"
	off=$(printf 'NO_%s=1 ' LIBELF LIBTRACEEVENT LIBPYTHON LIBPERL SLANG LIBCRYPTO LIBUNWIND LIBNUMA LIBZSTD LZMA \
		ZLIB LIBCAP LIBBPF SDT LIBBABELTRACE DWARF AUXTRACE DEMANGLE LIBPFM4 JVMTI CAPSTONE BACKTRACE)
	mkdir -p "$dir/obj"
	# shellcheck disable=SC2086 # a list
	env -i PATH="$PATH" make -C "$source/tools/perf" O="$dir/obj" JOBS="$(nproc)" ARCH=$ARCH \
		CROSS_COMPILE=$CROSS_COMPILE $off BUILD_BPF_SKEL=0 WERROR=0 EXTRA_CFLAGS=-O1 LDFLAGS=-static \
		perf >"$dir/log" 2>&1 || { tail -n 20 "$dir/log" >&2 && return 1; }
	"${CROSS_COMPILE}strip" "$dir/obj/perf" -o "$dir/perf"
}

# Laid out as the kernel's tools/perf/pmu-events/arch.
copy_events() {
	mkdir -p "$dir/events/$ARCH"
	cp "$source/$events/mapfile.csv" "$dir/events/$ARCH/"
	cp "$source/$events"/*.json "$dir/events/$ARCH/" 2>/dev/null || true # of arm64 alone
	for model in $models; do
		mkdir -p "$dir/events/$ARCH/$model"
		cp -r "$source/$events/$model/." "$dir/events/$ARCH/$model/"
	done
}

rm -rf "$dir" && mkdir -p "$dir"
tests/vm/packages.sh unpack "$dir" "linux-source-$series" ||
	{ echo "perf.sh: no package linux-source-$series here: nothing is compared with perf" && exit 0; }
unpack
build
copy_events
rm -rf "$dir/obj" "$source"
