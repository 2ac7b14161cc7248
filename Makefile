# SpawnBench: builds the test programs into pgms/.
#
#   make              what ./Run needs (it calls this by itself)
#   make static       the programs linked statically, into pgms/static
#   make check        all tests (make check-fast: without the linters)
#   make bench        what the suite itself costs
#   make golden       records the golden files anew, on purpose
#   make usage        USAGE from the manual in Run
#   make install-into, remove-from, dist-patch UNIXBENCH=/path/to/UnixBench
#                     the process tests in a classic tree
#   make tidy         formats the Perl code
#   make clean
#
# CC, CFLAGS, LDFLAGS and UB_GCC_OPTIONS (instead of CFLAGS) override.  What is
# built is portable: there is no -march=native.

VERSION := $(shell cat VERSION)
CFLAGS  ?= $(if $(UB_GCC_OPTIONS),$(UB_GCC_OPTIONS),-O2)
BINDIR  ?= pgms
# perl-free and quiet: V=1 shows the commands
Q := $(if $(V),,@)

SYSTEM   := $(shell uname -s)
OS_FILES := $(if $(filter Linux,$(SYSTEM)),os-linux cgroup limits-linux,os-posix)
# What is written while a test runs is linked first, and so lies together: every
# page more is copied by fork.
PARTS    := util main options pass raw histogram $(OS_FILES) target temporary footprint carry results
LIBS     := -pthread $(if $(filter Linux Darwin GNU/kFreeBSD,$(SYSTEM)),-ldl)
WARN     := -Wall -Wextra
LINKER   := $(shell $(CC) -Wl,--version 2>/dev/null | head -n 1)
# What the programs say of themselves, and what Run puts into the report
BUILD    := $(strip $(shell $(CC) --version 2>/dev/null | head -n 1), $(CFLAGS) $(LDFLAGS))$(if $(LINKER),; $(LINKER))
DEFINES  := -D_GNU_SOURCE -DSPAWNBENCH_VERSION='"$(VERSION)"' -Isrc

PROGRAMS := $(patsubst src/%.c,%,$(wildcard src/*.c))
HEADERS  := $(wildcard src/harness/*.h)
TARGETS  := true-dynamic true-static true-nolibc true-now true-lazy sh-dynamic sh-static
LIBRARIES := $(shell i=1; while [ $$i -le 64 ]; do echo $$i; i=$$((i+1)); done)

.PHONY: all static clean check check-fast bench golden tidy usage
.DELETE_ON_ERROR:
.SUFFIXES:

all: $(BINDIR)/trace $(PROGRAMS:%=$(BINDIR)/%) $(TARGETS:%=$(BINDIR)/%) $(BINDIR)/libraries/done

static: $(PROGRAMS:%=$(BINDIR)/static/%) $(TARGETS:%=$(BINDIR)/static/%)

# build/flags changes when compiler or flags do, and everything is built anew.
build/flags: FORCE
	$(Q)mkdir -p build/dynamic build/static build/new $(BINDIR)/static $(BINDIR)/libraries
	$(Q)printf '%s\n' '$(subst ','\'',$(CC) | $(BUILD) | $(VERSION) | $(BINDIR))' | cmp -s - $@ || \
	  printf '%s\n' '$(subst ','\'',$(CC) | $(BUILD) | $(VERSION) | $(BINDIR))' > $@
FORCE:

# Everything is built beside its place and renamed there: what is there is whole, also
# after the build was killed.
NEW      = build/new/$(subst /,-,$@)
IN_PLACE = && mv -f $(NEW) $@ || { rm -f $(NEW); exit 1; }

COMPILE = $(CC) $(WARN) $(CFLAGS) $(DEFINES) -DSPAWNBENCH_BUILD='"$(subst ",,$(subst ','\'',$(BUILD)))"' -pthread
build/dynamic/%.o: src/harness/%.c $(HEADERS) build/flags
	$(Q)$(COMPILE) -c -o $(NEW) $< $(IN_PLACE)
build/static/%.o: src/harness/%.c $(HEADERS) build/flags
	$(Q)$(COMPILE) -DSTATIC_BUILD -c -o $(NEW) $< $(IN_PLACE)

$(PROGRAMS:%=$(BINDIR)/%): $(BINDIR)/%: src/%.c $(PARTS:%=build/dynamic/%.o)
	$(Q)$(COMPILE) $(LDFLAGS) -o $(NEW) $^ $(LIBS) $(IN_PLACE)
$(PROGRAMS:%=$(BINDIR)/static/%): $(BINDIR)/static/%: src/%.c $(PARTS:%=build/static/%.o)
	$(Q)$(COMPILE) $(LDFLAGS) -static -o $(NEW) $^ -pthread $(IN_PLACE)

# A target that cannot be built here (no static libc, an unknown architecture)
# is left out with a line saying so; the exec tests say it when asked for it.
OPTIONAL = && mv -f $(NEW) $@ || { rm -f $(NEW) $@; echo "$@: not built here ($(1))"; }
$(BINDIR)/true-dynamic: src/targets/true.c build/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $(NEW) $< $(IN_PLACE)
$(BINDIR)/true-static: src/targets/true.c build/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $(NEW) $< 2>build/true-static.log $(call OPTIONAL,no static libc; see build/true-static.log)
$(BINDIR)/true-nolibc: src/targets/true-nolibc.c build/flags
	$(Q)$(CC) -static -nostdlib -o $(NEW) $< 2>build/true-nolibc.log $(call OPTIONAL,not written for this system; see build/true-nolibc.log)
# Bound at start, or at first use
$(BINDIR)/true-now $(BINDIR)/true-lazy: $(BINDIR)/true-%: src/targets/true.c build/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,-z,$* -o $(NEW) $< 2>build/true-$*.log $(call OPTIONAL,the linker knows no -z $*)
$(BINDIR)/sh-dynamic: src/targets/sh.c build/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $(NEW) $< $(IN_PLACE)
$(BINDIR)/sh-static: src/targets/sh.c build/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $(NEW) $< 2>build/sh-static.log $(call OPTIONAL,no static libc; see build/sh-static.log)
$(TARGETS:%=$(BINDIR)/static/%): $(BINDIR)/static/%: $(BINDIR)/%
	$(Q)if [ -f $< ]; then cp -f $< $(NEW) $(IN_PLACE); fi

# 64 equal files: the loader takes each for a library of its own.
$(BINDIR)/libraries/done: src/targets/library.c build/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -fPIC -shared -o $(@D)/lib1.so $<
	$(Q)for i in $(filter-out 1,$(LIBRARIES)); do cp -f $(@D)/lib1.so $(@D)/lib$$i.so || exit; done
	$(Q)touch $@

clean:
	rm -rf build $(BINDIR)/static $(BINDIR)/libraries
	rm -f $(BINDIR)/trace $(PROGRAMS:%=$(BINDIR)/%) $(TARGETS:%=$(BINDIR)/%)

# ---- tests -------------------------------------------------------------------
# PROVE_FLAGS=-v shows every check.  The quick ones come first.
FAST  := t/unit t/golden t/c/units.t
PROVE := prove -Ilib $(PROVE_FLAGS)

check: all static
	$(Q)$(PROVE) t/unit t/golden t/c t/programs t/cli t/lint

check-fast: all
	$(Q)$(PROVE) $(FAST)

# What the suite itself costs, one line a figure (some two minutes)
bench: all build/bare
	$(Q)perl -Ilib bench/cost.pl

# For ./Run trace; no test
$(BINDIR)/trace: src/trace/trace.c build/flags
	$(Q)$(CC) $(WARN) $(CFLAGS) $(LDFLAGS) -D_GNU_SOURCE -o $(NEW) $< $(IN_PLACE)

build/bare: src/bench/bare.c build/flags
	$(Q)$(CC) $(WARN) $(CFLAGS) $(LDFLAGS) -D_GNU_SOURCE -o $(NEW) $< $(IN_PLACE)

golden:
	$(Q)for form in text csv; do perl t/golden/make.pl $$form > t/golden/report.$$form || exit; done

usage: USAGE
USAGE: Run
	$(Q)LC_ALL=C pod2text -w 78 Run > $@.new && mv -f $@.new $@

tidy:
	$(Q)perltidy -pro=.perltidyrc -b -bext=/ Run $$(find lib -name '*.pm')

# ---- a classic UnixBench tree ---------------------------------------------------
# make install-into UNIXBENCH=/path/to/UnixBench (the folder that holds Run)
.PHONY: install-into remove-from dist-patch
install-into: all
	$(Q)perl -Ilib tools/classic-tree install "$$UNIXBENCH"
remove-from:
	$(Q)perl -Ilib tools/classic-tree remove "$$UNIXBENCH"
dist-patch: all
	$(Q)perl -Ilib tools/classic-tree patch "$$UNIXBENCH"
export UNIXBENCH
