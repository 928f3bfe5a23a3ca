# m1top: one Makefile, no recursion (but for the kernel module). `make help` lists what it does.

MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:

VERSION := 0.1.0
ifeq ($(origin CC),default)
CC      := gcc
endif
PREFIX  ?= /usr/local
V       ?= 0
Q       := $(if $(filter 1,$(V)),,@)
# What `make run` and `make check` build with when started without -j.
ALL_CPUS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
PKG_CONFIG ?= pkg-config

# Of what `make WITHOUT="serve zstd sensors symbols"` leaves out: the libraries, and the files that nothing else uses. A file
# without_FEATURE.c is built in their place.
FEATURES   := serve zstd sensors symbols
serve_PKGS := yaml-0.1
# libmicrohttpd and GnuTLS are loaded by serve alone.
serve_LIBS := -lcrypt -ldl
serve_SRCS := src/cmd/serve.c src/session/http/% src/session/openmetrics/% \
	tests/unit/session/http/% tests/unit/session/openmetrics/% tests/unit/session/report/test_one_sum.c
zstd_PKGS  := libzstd
zstd_SRCS  := src/session/format/zstd.c
sensors_LIBS := -lsensors
sensors_SRCS := src/pmu/activity/chips.c
symbols_PKGS := libdw libelf
# libcapstone is loaded where instructions are shown.
symbols_LIBS := -liberty -llzma -ldl
symbols_SRCS := src/symbols/table/elf.c src/symbols/table/plt.c src/symbols/table/lines.c src/symbols/table/name.c \
	src/symbols/table/instructions.c

WITHOUT ?=
ifneq ($(filter-out $(FEATURES),$(WITHOUT)),)
$(error WITHOUT: there is no $(filter-out $(FEATURES),$(WITHOUT)) to leave out, only $(FEATURES))
endif
override WITHOUT := $(filter $(WITHOUT),$(FEATURES))
WITH     := $(filter-out $(WITHOUT),$(FEATURES))
LEFT_OUT := $(foreach feature,$(WITHOUT),$($(feature)_SRCS)) $(WITH:%=\%/without_%.c)

# A word of the shell, whatever characters a path has.
quoted = '$(subst ','\'',$1)'

# One build folder a variant: `make SAN=thread check` never mixes with the plain build.
comma   := ,
empty   :=
VARIANT := $(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)
VARIANT := $(VARIANT)$(if $(filter-out gcc,$(CC)),-$(notdir $(firstword $(CC))))
VARIANT := $(VARIANT)$(if $(WERROR),-werror)
VARIANT := $(VARIANT)$(if $(WITHOUT),-without-$(subst $(empty) ,-,$(WITHOUT)))
B       := build/$(VARIANT)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes \
	-Wformat=2 -Wvla -Wundef -Wno-gnu-zero-variadic-macro-arguments \
	-Wno-format-truncation -Wno-unknown-warning-option
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)

# CPPFLAGS, CFLAGS, LDFLAGS and LDLIBS are the user's and come last; what m1top cannot do without
# is in C, LD and LIBS.
CFLAGS ?= -O2 -g
PKGS   := ncursesw libcjson $(foreach feature,$(WITH),$($(feature)_PKGS))
C      := -std=gnu11 -pthread -D_GNU_SOURCE -Isrc -I. -DM1TOP_VERSION='"$(VERSION)"' \
	-DM1TOP_PREFIX=$(call quoted,"$(PREFIX)") -DM1TOP_WITHOUT='"$(WITHOUT)"' $(shell echo '$(WITHOUT:%=-DWITHOUT_%)' | tr a-z A-Z) \
	$(WARN) $(WERROR) $(SANITIZE) \
	$(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null) $(CPPFLAGS) $(CFLAGS)
# cmocka 2 calls deprecated what cmocka 1 has no other word for.
TEST_C := -Itests/unit -DCMOCKA_DISABLE_DEPRECATION_WARNINGS
LD     := -pthread $(SANITIZE) $(CFLAGS) $(LDFLAGS)
LIBS   := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) $(foreach feature,$(WITH),$($(feature)_LIBS)) \
	-lm $(LDLIBS)

# Assembly of another architecture guards itself and comes to nothing.
SRCS  := $(filter-out $(LEFT_OUT),$(wildcard $(addprefix src/,*/*.c */*/*.c */*/*.S)))
OBJS  := $(addsuffix .o,$(basename $(SRCS:src/%=$(B)/%)))
LIB   := $(B)/libm1top.a
UNIT  := $(filter-out $(LEFT_OUT),$(sort $(wildcard $(addprefix tests/unit/,*/test_*.c */*/test_*.c))))
TESTS := $(UNIT:%.c=$(B)/%)
RIG_SRCS := $(sort $(wildcard tests/unit/rig/*.c))
RIG   := $(B)/tests/unit/rig/librig.a
TASKS_SOAKED := $(addprefix $(B)/tests/unit/sampler/tasks/test_,conservation real_tasks)
# The longest first: JOBS of them run at a time. They mostly wait: two for each CPU.
JOBS = $(shell expr 2 \* $$(nproc))
LONGEST := tests/screens/run.sh tests/e2e/growth.py tests/cli/run.sh \
	$(addprefix tests/e2e/,prometheus.py hot_names.py hostile_files.py stat.py)
SCRIPTS := $(LONGEST) $(filter-out $(LONGEST),$(sort $(wildcard tests/*/run.sh tests/e2e/*.sh) \
	$(filter-out %/serving.py %/a64_runs.py,$(wildcard tests/e2e/*.py)) \
	tests/lint/check_includes.py tests/lint/check_data.py))

# Left out under sanitizers, for half of their time: scripts that check files, other programs or figures beside another's; other
# scripts run the same code. ThreadSanitizer also leaves out verbs, outputs, statistics and screens of one thread (session200
# and monkey press all keys while the other threads run), and one with a thousand threads, which are too many for it.
RELEASE_ALONE := $(addprefix tests/e2e/,bench.py checkout.sh completions.py deps.sh documents.py growth.py hardware_report.sh \
	hot_truth.py inert.py install.sh kernels_a64.py lost_records.py pandas_loads.py perf_events.py perf_stat.py prometheus.py \
	qemu_user.sh rank.py report_page.py service.py task_stat.py task_truth.py) tests/lint/check_includes.py tests/lint/check_data.py
ONE_THREAD := tests/cli/run.sh tests/screens/run.sh $(addprefix tests/e2e/,events_import.py expr_random.py formats.py \
	help_words.py hostile_text.py many_cpus.py notes.py perf_options.py pmu_files.py selfcheck.py tasks_table.py terminal.sh tracepoints.py)
ONE_THREAD_UNIT := $(patsubst %,$(B)/tests/unit/%/%,base cmd/options discover/report \
	metrics pmu/activity pmu/apple pmu/backend pmu/catalog pmu/event pmu/topology session/format session/openmetrics \
	session/read session/report tui/model tui/widget) $(addprefix $(B)/tests/unit/,discover/kernel/test_kernels% \
	sampler/test_mux_error)
ifdef SAN
SCRIPTS := $(filter-out $(RELEASE_ALONE),$(SCRIPTS))
endif
ifeq ($(SAN),thread)
TESTS := $(filter-out $(ONE_THREAD_UNIT),$(TESTS))
SCRIPTS := $(filter-out $(ONE_THREAD),$(SCRIPTS))
endif

# The groups of packaging/deps.sh that building needs.
BUILD_DEPS := build $(WITH)

# What every test finds in its environment.
export M1TOP := $(CURDIR)/$(B)/m1top
export M1TOP_EVENTS := $(CURDIR)/events
export METRIC_DRIVER := $(CURDIR)/$(B)/tests/e2e/metric_driver
export SAN CC WITHOUT
export LINT_CFLAGS := $(C)

.PHONY: all
all: $(B)/m1top         ## build ./m1top (V=1 shows the commands, SAN=thread etc. sanitizes, WITHOUT="serve zstd sensors symbols" leaves out)
	$(Q)ln -sfn $< m1top

.PHONY: run
run:                    ## install what is missing, build, start on the best counters there are
	$(Q)packaging/deps.sh $(BUILD_DEPS)
	$(Q)$(MAKE) $(ALL_CPUS) all
	$(Q)packaging/run.sh

.PHONY: check
check:                  ## install what is missing, build, run all tests
	$(Q)packaging/deps.sh $(BUILD_DEPS) check
	$(Q)$(MAKE) $(ALL_CPUS) $(if $(SAN),,all) programs
	$(Q)tests/run --log $(B)/log --jobs $(JOBS) $(TESTS) $(SCRIPTS)

.PHONY: check-unit
check-unit: $(TESTS)    ## the unit tests alone, as packages run them when they are built: nothing is installed
	$(Q)tests/run --log $(B)/log --jobs $(JOBS) $(TESTS)

.PHONY: programs
programs: $(B)/m1top $(TESTS) $(B)/tests/e2e/metric_driver

.PHONY: check-upstream
check-upstream: $(B)/tests/upstream/load $(B)/m1top ## load Linux's own event trees whole, as packaged by Debian
	$(Q)LOAD=$< nice tests/upstream/check.py $(KERNELS)

# Kernels to boot: a series of Debian's, with -16k for 16 KiB pages, or builtin (see tests/vm/README.md).
VM_KERNELS ?= 6.1 6.12-16k 6.12-amd64

.PHONY: check-vm
check-vm:               ## prove the hardware paths in an emulated M1 and servers (VM_KERNELS="6.1 6.12-16k builtin 6.12-amd64")
	$(Q)packaging/deps.sh $(BUILD_DEPS) check vm
	$(Q)$(MAKE) -j$$(nproc) -f tests/vm/vm.mk VM_KERNELS='$(VM_KERNELS)' check

.PHONY: vm
vm:                     ## a shell on the emulated M1, with m1top in it
	$(Q)packaging/deps.sh $(BUILD_DEPS) vm
	$(Q)$(MAKE) -j$$(nproc) -f tests/vm/vm.mk VM_KERNELS='$(firstword $(VM_KERNELS))'
	$(Q)tests/vm/shell.py $(firstword $(VM_KERNELS))

.PHONY: kmod
kmod:                   ## build the kernel module m1pmu (KDIR=headers, CROSS_COMPILE=…; see kmod/README.md)
	$(Q)$(MAKE) -C kmod $(if $(KDIR),KDIR='$(KDIR)') $(if $(CROSS_COMPILE),CROSS_COMPILE='$(CROSS_COMPILE)')

.PHONY: lint
lint:                   ## formatting, clang-tidy, cppcheck, includes, banned calls, sizes …
	$(Q)packaging/deps.sh $(BUILD_DEPS) check lint
	$(Q)tests/run --log build/lint --timeout 3600 $(sort $(wildcard tests/lint/check_*))

.PHONY: bench
bench:                  ## cost beside perf stat, htop, btop and a bare loop (ROWS="tick late" picks)
	$(Q)packaging/deps.sh $(BUILD_DEPS) bench
	$(Q)$(MAKE) $(B)/m1top $(B)/tests/bench/floor $(B)/tests/bench/metrics \
		$(B)/tests/bench/reader $(B)/tests/bench/switches $(B)/tests/bench/loop $(B)/tests/bench/answer
	$(Q)FLOOR=$(B)/tests/bench/floor METRICS=$(B)/tests/bench/metrics READER=$(B)/tests/bench/reader \
		ANSWER=$(B)/tests/bench/answer SWITCHES=$(B)/tests/bench/switches \
		LOOP=$(B)/tests/bench/loop tests/bench/bench.py $(ROWS)
	$(Q)$(if $(ROWS),,echo && tests/bench/beside_perf.py)

.PHONY: accuracy
accuracy: $(B)/tests/unit/sampler/test_mux_error ## figures of mux groups and their errors against the simulation's truth
	$(Q)$< table

.PHONY: screenshots
screenshots:            ## draw the README's pictures from what m1top shows in a terminal
	$(Q)packaging/deps.sh $(BUILD_DEPS) docs
	$(Q)$(MAKE) all
	$(Q)docs/screenshots.sh

# Each tests/fuzz/fuzz_*.c is a fuzzer with a folder of first inputs; what it finds new is kept below
# build/, so that the next run goes on from there.
FUZZERS := $(patsubst tests/%.c,$(B)/tests/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
SECONDS ?= 60

FUZZ := CC=clang SAN=address,undefined,fuzzer-no-link

.PHONY: fuzz fuzzers run-fuzzers
fuzz:                   ## fuzz the parsers with clang's libFuzzer, SECONDS=60 each
	$(Q)$(MAKE) $(FUZZ) run-fuzzers
fuzzers: $(FUZZERS)
run-fuzzers: fuzzers
	$(Q)for f in $(FUZZERS); do n=$$(basename $$f); mkdir -p build/fuzz/$$n; echo "  FUZZ  $$n"; \
		$$f -max_total_time=$(SECONDS) -max_len=4096 -timeout=120 -print_final_stats=1 \
			-artifact_prefix=build/fuzz/$$n- build/fuzz/$$n tests/fuzz/$$n \
			>build/fuzz/$$n.log 2>&1 || { tail -40 build/fuzz/$$n.log; exit 1; }; \
		sed -n 's/^stat::number_of_executed_units: */  /p' build/fuzz/$$n.log; done

HOURS ?= 2

.PHONY: soak-tasks
soak-tasks:             ## a million simulated windows and ten minutes of real tasks: each core's tasks add up
	$(Q)packaging/deps.sh $(BUILD_DEPS) check
	$(Q)$(MAKE) $(TASKS_SOAKED)
	$(Q)for t in $(TASKS_SOAKED); do WINDOWS=1000000 SECONDS=600 $$t || exit 1; done

.PHONY: soak
soak:                   ## fuzzers, keys at random, attacks on serve and more at once, HOURS=2: memory is bounded
	$(Q)packaging/deps.sh $(BUILD_DEPS) check lint
	$(Q)$(MAKE) $(B)/m1top
	$(Q)$(MAKE) $(FUZZ) fuzzers
	$(Q)tests/soak/soak.py $(HOURS)

.PHONY: format
format:                 ## let clang-format have its way
	$(Q)git ls-files -co --exclude-standard 'src/*.[ch]' 'tests/*.[ch]' | xargs clang-format -i

.PHONY: bless
bless: programs         ## rewrite the golden files of the tests; review the diff
	$(Q)for t in $(filter $(TESTS),$(addprefix $(B)/tests/unit/,session/format/test_format session/format/test_note \
		session/openmetrics/test_openmetrics cmd/options/test_file)) $(filter %.sh,$(SCRIPTS)); do BLESS=1 $$t || exit 1; done
	$(Q)git diff --stat -- tests

.PHONY: deps
deps:                   ## install what building and testing needs and this machine lacks
	$(Q)packaging/deps.sh $(BUILD_DEPS) check lint

.PHONY: man
man: all                ## write m1top.1 from the option table
	$(Q)./m1top --man >m1top.1.new && mv m1top.1.new m1top.1

# m1top.1 has everything.
MANUAL := $(if $(WITHOUT),$(B)/)m1top.1
$(B)/m1top.1: $(B)/m1top
	$(Q)$< --man >$@

INSTALL_SH = DESTDIR=$(call quoted,$(DESTDIR)) PREFIX=$(call quoted,$(PREFIX)) VERSION='$(VERSION)' packaging/install.sh

.PHONY: install uninstall
install: $(B)/m1top $(MANUAL) ## install below DESTDIR, PREFIX (/usr/local); the module's source, too
	$(Q)$(INSTALL_SH) install $(B)/m1top $(MANUAL)
uninstall:              ## remove what install put there
	$(Q)$(INSTALL_SH) uninstall $(B)/m1top $(MANUAL)

# Packages are made of this tarball, which is the same bytes for the same commit.
NAME := m1top-$(VERSION)
.PHONY: dist
dist:                   ## build/dist/m1top-VERSION.tar.gz of the last commit, which builds without git
	$(Q)mkdir -p build/dist
	$(Q)git archive --prefix=$(NAME)/ -o build/dist/$(NAME).tar.gz HEAD
	$(Q)ls -l build/dist/$(NAME).tar.gz

.PHONY: deb rpm arch
deb: dist               ## Debian packages in build/deb (of the last commit, as the next two)
	$(Q)packaging/deps.sh $(BUILD_DEPS) check deb
	$(Q)packaging/debian/build.sh $(VERSION)
rpm: dist               ## RPM packages in build/rpm
	$(Q)packaging/deps.sh $(BUILD_DEPS) check rpm
	$(Q)packaging/rpm/build.sh $(VERSION)
arch: dist              ## Arch Linux packages in build/arch
	$(Q)packaging/deps.sh $(BUILD_DEPS) check arch
	$(Q)packaging/arch/build.sh $(VERSION)

.PHONY: clean
clean:                  ## remove what was built
	$(Q)rm -rf build m1top

.PHONY: help
help:                   ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 23

$(B)/m1top: $(B)/main.o $(LIB)
	@echo "  LINK  $@"
	$(Q)$(CC) $(LD) -o $@ $^ $(LIBS)

$(LIB): $(OBJS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/%.o: src/%.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(C) -MMD -MP -c -o $@ $<

$(B)/%.o: src/%.S $(B)/flags
	@mkdir -p $(@D)
	@echo "  AS    $<"
	$(Q)$(CC) $(C) -MMD -MP -c -o $@ $<

# What report's pages carry with them is assembled into the program.
$(B)/session/report/asset_files.o: $(wildcard src/session/report/page.* src/session/report/uplot/uPlot*)

# Per-test linker flags: test_foo_LDFLAGS := -Wl,--wrap=read
$(B)/tests/%: tests/%.c $(LIB) $(B)/flags
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(C) $(TEST_C) $(LD) $(EXTRA) $($(*F)_LDFLAGS) -MMD -MP -o $@ $< \
		$(filter %.o %/librig.a,$^) $(LIB) $(LIBS) \
		$(if $(filter test_%,$(*F)),-lcmocka)

test_web_LDFLAGS := -Wl,--no-as-needed -lgnutls
test_library_LDFLAGS := -Wl,--wrap=dlopen
$(foreach f,$(notdir $(FUZZERS)),$(eval $(f)_LDFLAGS := -fsanitize=fuzzer))
# Tests of the perf backend on the model of a kernel in rig/fake_perf.c: the linker redirects its system calls.
ON_FAKE_PERF := $(addprefix $(B)/tests/unit/,pmu/perf/test_model pmu/perf/test_x86 \
	pmu/perf/test_tasks_model discover/run/test_mask_driver discover/run/test_raw_id)
$(ON_FAKE_PERF): EXTRA := -Wl,--wrap=syscall,--wrap=read,--wrap=ioctl,--wrap=close,--wrap=getrlimit,--wrap=setrlimit

# The fuzzer of event files judges them as the unit tests do, without cmocka.
$(B)/tests/fuzz/fuzz_catalog: $(addprefix $(B)/tests/unit/rig/,catalog_check.o metrics_check.o)

# Helpers that unit tests share are compiled once; a test is linked with those that it uses.
$(TESTS): $(RIG)

$(RIG): $(RIG_SRCS:%.c=$(B)/%.o)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/tests/%.o: tests/%.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(C) $(TEST_C) -MMD -MP -c -o $@ $<

# Everything is rebuilt when the flags change.
.PHONY: FORCE
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo $(call quoted,$(CC) $(C) $(LD) $(LIBS)) | cmp -s - $@ || \
		echo $(call quoted,$(CC) $(C) $(LD) $(LIBS)) >$@

-include $(OBJS:.o=.d) $(B)/main.d $(TESTS:=.d) $(wildcard $(B)/tests/unit/rig/*.d)
