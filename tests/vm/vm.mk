# vm.mk: everything that the emulated M1 needs, each thing made once (used by `make check-vm`)
#
# build/vm/apt       package lists of both architectures
# build/vm/arm64     libraries and busybox of arm64, unpacked
# build/vm/perf      perf of Linux for arm64, to compare with
# build/vm/base.cpio the part of the initramfs that all kernels share: busybox, m1top, tests
# build/vm/KERNEL    image, release, headers, modules.cpio, initrd
# build/vm/check-KERNEL-FOLDER.sh   the program that boots it and runs the tests of guest/FOLDER

MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:

VM_KERNELS ?= 6.1 6.12-16k
CROSS := aarch64-linux-gnu-
T := tests/vm
D := build/vm
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

# m1top as the project's own Makefile builds it, for arm64; its folder is build/release-aarch64-…
ARM64   := build/release-$(CROSS)gcc
LIBDIRS := $(D)/arm64/lib/aarch64-linux-gnu $(D)/arm64/usr/lib/aarch64-linux-gnu
M1TOP   := $(MAKE) CC=$(CROSS)gcc AR=$(CROSS)ar PKG_CONFIG=$(T)/pkg-config \
	LDFLAGS='$(LIBDIRS:%=-L%) $(LIBDIRS:%=-Wl,-rpath-link,%)'

PACKAGES := $(patsubst %,%:arm64,libncurses-dev libncursesw6 libtinfo6 libcjson-dev libcjson1 libzstd-dev libzstd1 \
	libmicrohttpd-dev libmicrohttpd12 libgnutls28-dev libgnutls30 libgmp10 libhogweed6 libnettle8 libidn2-0 libp11-kit0 \
	libffi8 libtasn1-6 libunistring2 libyaml-dev libyaml-0-2 libcrypt-dev libcrypt1 \
	busybox-static libc-bin) ncurses-base

# Modules: folders with a Kbuild Makefile. The project's own kernel module joins when it is there.
MODULES := $(T)/emu $(T)/m1drv $(T)/pmcg $(patsubst %/Makefile,%,$(wildcard src/backend/kmod/Makefile))

GUEST_C := $(wildcard $(T)/guest/*.c $(T)/guest/*/*.c)
GUEST   := $(GUEST_C:$(T)/guest/%.c=$(D)/guest/%)

# A boot for each folder with numbered tests, the longest first; all at the same time as far as the
# machine has processors.
FOLDERS := driver $(filter-out driver,$(sort $(patsubst $(T)/guest/%/,%,$(dir $(wildcard $(T)/guest/*/00-*)))))
CHECKS  := $(foreach folder,$(FOLDERS),$(VM_KERNELS:%=$(D)/check-%-$(folder).sh)) $(VM_KERNELS:%=$(D)/kmod-%.sh)

.PHONY: all
all: $(VM_KERNELS:%=$(D)/%/initrd) $(D)/m1.dtb

.PHONY: check
check: all $(CHECKS) $(D)/checkpatch/checkpatch.pl
	$(Q)tests/run --log $(D)/log --timeout 1200 --jobs $$(nproc) $(CHECKS)

$(D)/apt/apt.conf: $(T)/packages.sh
	$(Q)$(T)/packages.sh update

# It comes with the kernel's source alone.
$(D)/checkpatch/checkpatch.pl: | $(D)/apt/apt.conf
	$(Q)$(T)/packages.sh unpack $(CURDIR)/$(D)/checkpatch linux-source-6.1
	$(Q)tar -C $(@D) --strip-components=2 --occurrence=1 -xJf $(@D)/usr/src/linux-source-6.1.tar.xz \
		$(addprefix linux-source-6.1/scripts/,checkpatch.pl spelling.txt const_structs.checkpatch)
	$(Q)rm -rf $(@D)/usr && touch $@

$(D)/arm64/unpacked: $(T)/vm.mk | $(D)/apt/apt.conf
	$(Q)$(T)/packages.sh unpack $(CURDIR)/$(D)/arm64 $(PACKAGES)
	$(Q)touch $@

$(D)/builtin/image-ready: $(T)/kernel.config

$(D)/%/image-ready: $(T)/kernel.sh | $(D)/apt/apt.conf
	+$(Q)$(T)/kernel.sh $*
	$(Q)touch $@

$(D)/perf/ready: $(T)/perf.sh | $(D)/apt/apt.conf
	$(Q)$(T)/perf.sh
	$(Q)touch $@

# The program is built by the main Makefile, which knows what is out of date.
.PHONY: program
program: $(D)/arm64/unpacked
	+$(Q)$(M1TOP) $(ARM64)/m1top

$(D)/m1.dtb: $(T)/mkdtb.py
	$(Q)$(T)/mkdtb.py $@

$(D)/guest/%: $(T)/guest/%.c $(wildcard $(T)/guest/*.h) src/backend/kmod/m1pmu_abi.h
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-result -D_GNU_SOURCE -Isrc -I$(T)/guest -static -pthread -o $@ $<

$(D)/base.cpio: $(T)/mkinitrd.sh $(T)/init $(GUEST) $(wildcard $(T)/guest/* $(T)/guest/*/*) $(shell find events -type f) $(D)/perf/ready program
	$(Q)$(T)/mkinitrd.sh $(ARM64)/m1top $@

$(D)/%/modules.cpio: $(D)/%/image-ready $(wildcard $(MODULES:%=%/*)) $(T)/mkmodules.sh
	+$(Q)test -e $(D)/$*/missing || $(T)/mkmodules.sh $* $(MODULES)
	$(Q)touch $@

$(D)/%/initrd: $(D)/%/modules.cpio $(D)/base.cpio
	$(Q)cat $^ >$@

# $1: kernel, $2: folder
define check_program
$(D)/check-$1-$2.sh: $(T)/vm.mk
	$$(Q)printf '#!/bin/sh\nexec $(CURDIR)/$(T)/run.py $1 $2\n' >$$@ && chmod +x $$@
endef
$(foreach kernel,$(VM_KERNELS),$(foreach folder,$(FOLDERS),$(eval $(call check_program,$(kernel),$(folder)))))

$(D)/kmod-%.sh: $(T)/vm.mk
	$(Q)printf '#!/bin/sh\nexec $(CURDIR)/$(T)/check-kmod.sh $*\n' >$@ && chmod +x $@
