#!/bin/sh
# perf.sh: perf of Linux 6.12 for arm64 and its files of the Neoverse N1's events, into build/vm/perf
#
# What m1top shows is compared with it. Debian's own package needs Perl, Python and 40 MB of libraries in
# the guest, and that of Debian 12 is too old to know a metric of this processor. This one is the same
# source without options, linked statically: under a minute. Where the archives do not have the source
# nothing is made, and the tests that compare are skipped.
set -eu
cd "$(dirname "$0")/../.."
series=6.12
dir=$PWD/build/vm/perf
source=$dir/linux-source-$series
events=tools/perf/pmu-events/arch/arm64

# What tools/perf/MANIFEST lists, and a little more.
unpack() {
	tests/vm/packages.sh unpack "$dir" "linux-source-$series" &&
		tar -C "$dir" -xJf "$dir/usr/src/linux-source-$series.tar.xz" --wildcards \
			"linux-source-$series/tools/*" "linux-source-$series/scripts/*" \
			"linux-source-$series/arch/arm64/tools/*" "linux-source-$series/Makefile" \
			"linux-source-$series/arch/*/include/uapi/asm/bpf_perf_event.h" &&
		rm -rf "${dir:?}/usr"
}

# Nothing of the environment: perf takes CC and the like from there.
build() {
	echo "+ building perf for arm64: about a minute"
	off=$(printf 'NO_%s=1 ' LIBELF LIBTRACEEVENT LIBPYTHON LIBPERL SLANG LIBCRYPTO LIBUNWIND LIBNUMA LIBZSTD LZMA \
		ZLIB LIBCAP LIBBPF SDT LIBBABELTRACE DWARF AUXTRACE DEMANGLE LIBPFM4 JVMTI CAPSTONE BACKTRACE)
	mkdir -p "$dir/obj"
	# shellcheck disable=SC2086 # a list
	env -i PATH="$PATH" make -C "$source/tools/perf" O="$dir/obj" JOBS="$(nproc)" ARCH=arm64 \
		CROSS_COMPILE=aarch64-linux-gnu- $off BUILD_BPF_SKEL=0 WERROR=0 EXTRA_CFLAGS=-O1 LDFLAGS=-static \
		perf >"$dir/log" 2>&1 || { tail -n 20 "$dir/log" >&2 && return 1; }
	aarch64-linux-gnu-strip "$dir/obj/perf" -o "$dir/perf"
}

# Laid out as the kernel's tools/perf/pmu-events/arch.
copy_events() {
	mkdir -p "$dir/events/arm64/arm"
	cp "$source/$events"/*.json "$source/$events/mapfile.csv" "$dir/events/arm64/"
	cp -r "$source/$events/arm/neoverse-n1" "$dir/events/arm64/arm/"
}

rm -rf "$dir" && mkdir -p "$dir"
unpack || { echo "perf.sh: no package linux-source-$series here: nothing is compared with perf" && exit 0; }
build
copy_events
rm -rf "$dir/obj" "$source"
