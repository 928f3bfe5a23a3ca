# m1top: one Makefile, no recursion (but for the kernel module). `make help` lists what it does.

MAKEFLAGS += --no-builtin-rules --no-print-directory
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo 0.1)
CC      ?= gcc
PREFIX  ?= /usr/local
V       ?= 0
Q       := $(if $(filter 1,$(V)),,@)

# One build folder a variant: `make SAN=thread check` never mixes with the plain build.
comma   := ,
VARIANT := $(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)
B       := build/$(VARIANT)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes \
	-Wformat=2 -Wvla -Wundef -Wno-gnu-zero-variadic-macro-arguments
OPT  := -O2 -g $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)

PKGS     := ncursesw libcjson
CPPFLAGS += -D_GNU_SOURCE -Isrc -DM1TOP_VERSION='"$(VERSION)"' -DM1TOP_PREFIX='"$(PREFIX)"'
CFLAGS   += -std=gnu11 -pthread $(OPT) $(WARN) $(WERROR) $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
LDLIBS   += $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm
LDFLAGS  += -pthread $(if $(SAN),-fsanitize=$(SAN))

SRCS  := $(wildcard src/*/*.c)
OBJS  := $(SRCS:src/%.c=$(B)/%.o)
LIB   := $(B)/libm1top.a
TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))

.PHONY: all
all: m1top

m1top: $(B)/m1top
	$(Q)ln -sf $< $@

$(B)/m1top: $(B)/main.o $(LIB)
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(LIB): $(OBJS)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tests/%: tests/%.c $(LIB)
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) $($(*F)_LDFLAGS) -MMD -MP -o $@ $< $(LIB) $(LDLIBS) -lcmocka

.PHONY: unit
unit: $(TESTS)
	$(Q)for t in $(TESTS); do echo "== $$t"; M1TOP_EVENTS=events $$t || exit 1; done

.PHONY: clean
clean:
	$(Q)rm -rf build m1top

-include $(OBJS:.o=.d) $(B)/main.d $(TESTS:=.d)
