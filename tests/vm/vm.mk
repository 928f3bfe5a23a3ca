# vm.mk: everything that the emulated machines need, each thing made once (used by `make check-vm`)
#
# build/vm/apt            package lists of both architectures
# build/vm/ARCH           libraries and busybox, unpacked
# build/vm/perf-ARCH      perf of Linux, to compare with
# build/vm/base-ARCH.cpio the part of the initramfs that all its kernels share: busybox, m1top, tests
# build/vm/KERNEL         image, release, headers, modules.cpio, initrd
# build/vm/check-KERNEL-FOLDER.sh   the program that boots it and runs the tests of guest/FOLDER

MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:

VM_KERNELS ?= 6.1 6.12-16k 6.12-amd64
T := tests/vm
D := build/vm
V ?= 0
comma := ,
Q := $(if $(filter 1,$(V)),,@)
# Scripts that start make share its jobs; with -n they stay out.
SHARES := $(if $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),,+)

ARCHS := arm64 amd64
TRIPLET_arm64 := aarch64-linux-gnu
TRIPLET_amd64 := x86_64-linux-gnu
# of a kernel
arch_of = $(if $(filter %-amd64,$1),amd64,arm64)

PACKAGES := $(addsuffix :ARCH,libncurses-dev libncursesw6 libtinfo6 libcjson-dev libcjson1 libzstd-dev libzstd1 \
	libmicrohttpd-dev libmicrohttpd12 libgnutls28-dev libgnutls30 libgmp10 libhogweed6 libnettle8 libidn2-0 libp11-kit0 \
	libffi8 libtasn1-6 libunistring2 libyaml-dev libyaml-0-2 libcrypt-dev libcrypt1 libsensors-dev libsensors5 \
	libelf-dev libelf1 libdw-dev libdw1 libiberty-dev libcapstone-dev libcapstone4 zlib1g-dev zlib1g liblzma-dev liblzma5 libbz2-1.0 \
	busybox-static libc-bin) ncurses-base

# Modules: folders with a Kbuild Makefile. The project's own kernel module joins when it is there.
MODULES_arm64 := $(T)/model $(T)/emu $(T)/m1drv $(T)/pmcg $(T)/chips kmod
MODULES_amd64 := $(T)/model

GUEST_C     := $(wildcard $(T)/guest/*.c $(T)/guest/*/*.c)
GUEST_arm64 := $(patsubst $(T)/guest/%.c,$(D)/guest-arm64/%,$(filter-out $(T)/guest/many/%,$(GUEST_C)))
GUEST_amd64 := $(patsubst $(T)/guest/%.c,$(D)/guest-amd64/%,$(filter $(T)/guest/server/% $(T)/guest/many/%,$(GUEST_C)))

# A boot for each folder with numbered tests, the longest first, and for each server; all at the same time as
# far as the machine has processors. PMUv3 and Neoverse, slow in emulation, are booted with the last Arm kernel alone.
FOLDERS := driver $(filter-out driver many pmuv3 server,$(sort $(patsubst $(T)/guest/%/,%,$(dir $(wildcard $(T)/guest/*/00-*)))))
SERVERS := many server-intel server-hybrid server-amd
ARM_KERNELS := $(filter-out %-amd64,$(VM_KERNELS))
CHECKS  := $(foreach folder,$(FOLDERS),$(ARM_KERNELS:%=$(D)/check-%-$(folder).sh)) $(ARM_KERNELS:%=$(D)/kmod-%.sh) \
	$(foreach folder,pmuv3 server-neoverse,$(patsubst %,$(D)/check-%-$(folder).sh,$(lastword $(ARM_KERNELS)))) \
	$(foreach kernel,$(filter %-amd64,$(VM_KERNELS)),$(SERVERS:%=$(D)/check-$(kernel)-%.sh))

.PHONY: all
all: $(VM_KERNELS:%=$(D)/%/initrd) $(D)/m1.dtb

.PHONY: check
check: all $(CHECKS) $(D)/checkpatch/checkpatch.pl
	$(Q)tests/run --log $(D)/log --timeout 1800 --jobs $$(nproc) $(CHECKS)

$(D)/apt/apt.conf: $(T)/packages.sh
	$(Q)$(T)/packages.sh update

# It comes with the kernel's source alone.
$(D)/checkpatch/checkpatch.pl: | $(D)/apt/apt.conf
	$(Q)$(T)/packages.sh unpack "$$PWD"/$(D)/checkpatch linux-source-6.1
	$(Q)tar -C $(@D) --strip-components=2 --occurrence=1 -xJf $(@D)/usr/src/linux-source-6.1.tar.xz \
		$(addprefix linux-source-6.1/scripts/,checkpatch.pl spelling.txt const_structs.checkpatch)
	$(Q)rm -rf $(@D)/usr && touch $@

$(ARCHS:%=$(D)/%/unpacked): $(D)/%/unpacked: $(T)/vm.mk | $(D)/apt/apt.conf
	$(Q)$(T)/packages.sh unpack "$$PWD"/$(D)/$* $(PACKAGES:%:ARCH=%:$*)
	$(Q)touch $@

$(D)/builtin/image-ready: $(T)/kernel.config

$(D)/%/image-ready: $(T)/kernel.sh | $(D)/apt/apt.conf
	$(SHARES)$(Q)$(T)/kernel.sh $*
	$(Q)touch $@

$(D)/perf-%/ready: $(T)/perf.sh | $(D)/apt/apt.conf
	$(Q)$(T)/perf.sh $*
	$(Q)touch $@

# m1top as the project's own Makefile builds it, which knows what is out of date; its folder is build/release-TRIPLET-gcc.
.PHONY: $(ARCHS:%=program-%)
$(ARCHS:%=program-%): program-%: $(D)/%/unpacked
	+$(Q)$(MAKE) WITHOUT= CC=$(TRIPLET_$*)-gcc AR=$(TRIPLET_$*)-ar PKG_CONFIG='$(T)/pkg-config $*' \
		LDFLAGS='$(foreach folder,$(D)/$*/lib $(D)/$*/usr/lib,-L$(folder)/$(TRIPLET_$*) -Wl$(comma)-rpath-link$(comma)$(folder)/$(TRIPLET_$*))' \
		build/release-$(TRIPLET_$*)-gcc/m1top

$(D)/m1.dtb: $(T)/mkdtb.py
	$(Q)$(T)/mkdtb.py $@

# $1: ARCH
define guest_program
$(D)/guest-$1/%: $(T)/guest/%.c $(wildcard $(T)/guest/*.h) $(T)/model/counters.h kmod/m1pmu_abi.h
	@mkdir -p $$(@D)
	$$(Q)$(TRIPLET_$1)-gcc -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-result -D_GNU_SOURCE -Isrc -I. -I$(T) -I$(T)/guest -static -pthread -o $$@ $$<
endef
$(foreach arch,$(ARCHS),$(eval $(call guest_program,$(arch))))

.SECONDEXPANSION:
$(D)/base-%.cpio: $(T)/mkinitrd.sh $(T)/init $$(GUEST_$$*) $(wildcard $(T)/guest/* $(T)/guest/*/*) $(shell find events -type f) \
		$(D)/perf-%/ready program-%
	$(Q)$(T)/mkinitrd.sh $* build/release-$(TRIPLET_$*)-gcc/m1top $@

$(D)/%/modules.cpio: $(D)/%/image-ready $(wildcard $(MODULES_arm64:%=%/*)) $(T)/mkmodules.sh
	$(SHARES)$(Q)test -e $(D)/$*/missing || $(T)/mkmodules.sh $* $(MODULES_$(call arch_of,$*))
	$(Q)touch $@

$(D)/%/initrd: $(D)/%/modules.cpio $(D)/base-$$(call arch_of,%).cpio
	$(Q)cat $^ >$@

$(D)/count.so: $(T)/count.c
	$(Q)gcc -O2 -Wall -Wextra -shared -fPIC -o $@ $<

# $1: kernel, $2: folder
define check_program
$(D)/check-$1-$2.sh: $(T)/vm.mk $(if $(filter many,$2),$(D)/count.so)
	$$(Q)printf '#!/bin/sh\nexec $(T)/run.py $1 $2\n' >$$@ && chmod +x $$@
endef
$(foreach kernel,$(VM_KERNELS),$(foreach folder,$(FOLDERS) $(SERVERS) pmuv3 server-neoverse,$(eval $(call check_program,$(kernel),$(folder)))))

$(D)/kmod-%.sh: $(T)/vm.mk
	$(Q)printf '#!/bin/sh\nexec $(T)/check-kmod.sh $*\n' >$@ && chmod +x $@
