# SPDX-License-Identifier: GPL-2.0-or-later
# SpawnMeter: builds the test programs into pgms/.
#
# make help lists the targets.
#
# CC, CFLAGS, LDFLAGS and UB_GCC_OPTIONS (instead of CFLAGS) override.  What is
# built is portable: there is no -march=native.

VERSION := $(shell cat VERSION)
CFLAGS  ?= $(if $(UB_GCC_OPTIONS),$(UB_GCC_OPTIONS),-O2)
BINDIR  ?= pgms
WORK    ?= build
# perl-free and quiet: V=1 shows the commands
Q := $(if $(V),,@)

# The system that the compiler builds for, like x86_64-linux-gnu, which may be another one
# than this
TARGET   := $(or $(shell $(CC) $(CFLAGS) -dumpmachine 2>/dev/null),$(shell uname -s))
HAS       = $(findstring $1,$(TARGET))
SYSTEM   := $(if $(call HAS,linux)$(call HAS,Linux),linux,$(if $(call HAS,darwin)$(call HAS,macos)$(call HAS,Darwin),darwin,$(if $(call HAS,freebsd)$(call HAS,FreeBSD),freebsd,$(if $(call HAS,netbsd)$(call HAS,NetBSD),netbsd,$(if $(call HAS,openbsd)$(call HAS,OpenBSD),openbsd,posix)))))
OS_FILES := $(if $(filter linux,$(SYSTEM)),os-linux raw-linux cgroup limits-linux loader-linux,os-posix raw-posix path-$(SYSTEM:openbsd=posix) image-$(SYSTEM) loader-posix) \
            $(if $(filter darwin,$(SYSTEM)),linkage-darwin,linkage-elf)
# What is written while a test runs is linked first, and so lies together: every
# page more is copied by fork.
PARTS    := util main part child options pass pause turns again usage histogram $(OS_FILES) target copies search execute folders footprint touch start carry reference results version outcome spawners merge faulting cleaner mix options-check environment
# Only what calls clone() is linked with it: a symbol more moves the others
CLONE    := $(if $(filter linux,$(SYSTEM)),clone-linux,clone-posix)
CLONE3   := $(if $(filter linux,$(SYSTEM)),clone3-linux,clone3-posix) namespaces pidfd moves group hierarchy
# The parts that the bare loop shares with the test programs
SHARED   := util $(OS_FILES) $(CLONE)
COMMA    := ,
LIBS     := -pthread $(if $(filter linux darwin,$(SYSTEM)),-ldl)
# vfork, which macOS calls deprecated, is what is measured
WARN     := -Wall -Wextra $(if $(filter darwin,$(SYSTEM)),-Wno-deprecated-declarations)
# zig writes a.o even when it is asked for its version: not into this folder
PROBE     = $(if $(findstring zig,$(CC)),cd $(WORK) && )
LINKER   := $(shell mkdir -p $(WORK); $(CC) -Wl,--version -o $(WORK)/probe 2>/dev/null | head -n 1)
# What the programs say of themselves, and what Run puts into the report
BUILD    := $(strip $(shell $(PROBE)$(CC) --version 2>/dev/null | head -n 1), $(CFLAGS) $(LDFLAGS))$(if $(LINKER),; $(LINKER))
# Symbols are bound at start: else each child of fork() looks up _exit() anew, or not, as the
# distribution's linker has it.  A classic suite's programs are linked as the compiler does it,
# and so are the tests beside which they stand.
CLASSIC  := context1 execl filecopy looper pipe spawn syscall
HAS_Z    := $(findstring GNU,$(LINKER))$(findstring LLD,$(LINKER))$(findstring mold,$(LINKER))
NOW      := $(if $(HAS_Z),-Wl$(COMMA)-z$(COMMA)now)
# Code and constants in one mapping: the programs have more of them than a bare loop, each fork
# copies the mappings, and each child, or each image of execl, maps their pages anew.  Some
# linkers do not know the option.
ONE_PART := -Wl,-z,noseparate-code
JOINED   := $(if $(HAS_Z),$(shell echo 'int main(void) { return 0; }' | \
            $(CC) $(LDFLAGS) $(ONE_PART) -o $(WORK)/probe.$$$$ -x c - 2>/dev/null && echo $(ONE_PART); \
            rm -f $(WORK)/probe.$$$$))
DEFINES  := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DSPAWNMETER_VERSION='"$(VERSION)"' -Isrc -I$(WORK)
# The ways to create a process: the tests of group process
TESTS_LIST ?= pgms/tests.list
METHODS  := $(shell awk -F'|' '!/^ *\043/ && NF > 4 && (" " $$4 " ") ~ / process / { gsub(/ /, "", $$1); print $$1 }' $(TESTS_LIST))

PROGRAMS := $(patsubst src/%.c,%,$(wildcard src/*.c))
HEADERS  := $(wildcard src/harness/*.h)
# The parts of the test launch
LAUNCH   := $(patsubst src/launch/%.c,launch-%,$(wildcard src/launch/*.c))
TARGETS  := true-dynamic true-static true-nolibc true-now true-lazy sh-dynamic sh-static write-output \
            start-dynamic start-static start-nolibc start-now start-lazy
LIBRARIES := $(shell i=1; while [ $$i -le 64 ]; do echo $$i; i=$$((i+1)); done)

.PHONY: all static methods clean help check check-fast check-faults check-sanitize check-platforms check-portable check-long cover layers sizes bench bench-copies bench-ab simulate simulate-ab soak golden tidy usage
.DELETE_ON_ERROR:
.SUFFIXES:

## all: what ./Run needs, into pgms (./Run calls this by itself)
all: $(BINDIR)/trace $(PROGRAMS:%=$(BINDIR)/%) $(TARGETS:%=$(BINDIR)/%) $(BINDIR)/libraries/done

## static: the programs linked statically, into pgms/static
static: $(PROGRAMS:%=$(BINDIR)/static/%) $(TARGETS:%=$(BINDIR)/static/%)

# $(WORK)/flags changes when compiler or flags do, and everything is built anew.
$(WORK)/flags: FORCE
	$(Q)mkdir -p $(WORK)/dynamic $(WORK)/static $(WORK)/$(UNFINISHED) $(BINDIR)/static $(BINDIR)/libraries
	$(Q)printf '%s\n' '$(subst ','\'',$(CC) | $(BUILD) | $(NOW) $(JOINED) | $(VERSION) | $(BINDIR))' > $(NEW)
	$(Q)if cmp -s $(NEW) $@; then rm -f $(NEW); else mv -f $(NEW) $@; fi
FORCE:

# A list that C files expand: METHODS(X) is X(fork) X(vfork) ...
$(WORK)/methods.h: $(TESTS_LIST) Makefile $(WORK)/flags
	$(Q)printf '#define METHODS(X) %s\n' '$(foreach method,$(METHODS),X($(method)))' > $(NEW) $(IN_PLACE)

# Everything is built beside its place and renamed there: what is there is whole, also
# after the build was killed.
# The number keeps two makes at once apart.  ./Run names a folder of its own, which it removes.
UNFINISHED ?= new
NONCE    := $(shell echo $$$$)
NEW      = $(WORK)/$(UNFINISHED)/$(NONCE)-$(subst /,-,$@)
IN_PLACE = && mv -f $(NEW) $@ || { rm -f $(NEW); exit 1; }

COMPILE = $(CC) $(WARN) $(CFLAGS) $(DEFINES) -DSPAWNMETER_BUILD='"$(subst ",,$(subst ','\'',$(BUILD)))"' -pthread
$(WORK)/dynamic/%.o: src/harness/%.c $(HEADERS) $(WORK)/flags
	$(Q)$(COMPILE) -c -o $(NEW) $< $(IN_PLACE)
$(WORK)/static/%.o: src/harness/%.c $(HEADERS) $(WORK)/flags
	$(Q)$(COMPILE) -DSTATIC_BUILD -c -o $(NEW) $< $(IN_PLACE)
# Files that compile on their own system only
$(WORK)/dynamic/%.o: src/systems/%.c $(HEADERS) $(WORK)/flags
	$(Q)$(COMPILE) -c -o $(NEW) $< $(IN_PLACE)
$(WORK)/static/%.o: src/systems/%.c $(HEADERS) $(WORK)/flags
	$(Q)$(COMPILE) -c -o $(NEW) $< $(IN_PLACE)

LAUNCH_SOURCE = src/launch/%.c src/launch/launch.h $(HEADERS) $(WORK)/flags
$(WORK)/dynamic/launch-%.o: $(LAUNCH_SOURCE)
	$(Q)$(COMPILE) -c -o $(NEW) $< $(IN_PLACE)
$(WORK)/static/launch-%.o: $(LAUNCH_SOURCE)
	$(Q)$(COMPILE) -c -o $(NEW) $< $(IN_PLACE)

$(PROGRAMS:%=$(BINDIR)/%): $(BINDIR)/%: src/%.c $(PARTS:%=$(WORK)/dynamic/%.o)
	$(Q)$(COMPILE) $(JOINED) $(LDFLAGS) $(if $(filter $(CLASSIC),$(@F)),,$(NOW)) -o $(NEW) $^ $(LIBS) $(IN_PLACE)
$(PROGRAMS:%=$(BINDIR)/static/%): $(BINDIR)/static/%: src/%.c $(PARTS:%=$(WORK)/static/%.o)
	$(Q)$(COMPILE) $(JOINED) $(LDFLAGS) -static -o $(NEW) $^ -pthread $(IN_PLACE)

# What the bundle has besides the tests: portable/run.sh calls it
SUMMARY := $(wildcard src/portable/*.c)
$(BINDIR)/static/summary: $(SUMMARY) $(wildcard src/portable/*.h) $(WORK)/static/util.o
	$(Q)$(COMPILE) $(LDFLAGS) -static -o $(NEW) $(filter-out %.h,$^) -lm $(IN_PLACE)

$(BINDIR)/clone: $(WORK)/dynamic/$(CLONE).o
$(BINDIR)/static/clone: $(WORK)/static/$(CLONE).o
$(BINDIR)/clone3: $(CLONE3:%=$(WORK)/dynamic/%.o)
$(BINDIR)/static/clone3: $(CLONE3:%=$(WORK)/static/%.o)
$(BINDIR)/pidfd_spawn: $(patsubst %,$(WORK)/dynamic/%.o,group hierarchy pidfd)
$(BINDIR)/static/pidfd_spawn: $(patsubst %,$(WORK)/static/%.o,group hierarchy pidfd)
$(BINDIR)/launch: $(patsubst %,$(WORK)/dynamic/%.o,$(LAUNCH) pidfd)
$(BINDIR)/static/launch: $(patsubst %,$(WORK)/static/%.o,$(LAUNCH) pidfd)

# A target that cannot be built here (no static libc, an unknown architecture)
# is left out with a line saying so; the exec tests say it when asked for it.
OPTIONAL = && mv -f $(NEW) $@ || { rm -f $(NEW) $@; echo "$@: not built here ($(1))"; }
$(BINDIR)/true-dynamic: src/targets/true.c $(WORK)/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $(NEW) $< $(IN_PLACE)
$(BINDIR)/true-static: src/targets/true.c $(WORK)/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $(NEW) $< 2>$(WORK)/true-static.log $(call OPTIONAL,no static libc; see $(WORK)/true-static.log)
$(BINDIR)/true-nolibc: src/targets/true-nolibc.c $(WORK)/flags
	$(Q)$(CC) -static -nostdlib -o $(NEW) $< 2>$(WORK)/true-nolibc.log $(call OPTIONAL,not written for this system; see $(WORK)/true-nolibc.log)
# Bound at start, or at first use
$(BINDIR)/true-now $(BINDIR)/true-lazy: $(BINDIR)/true-%: src/targets/true.c $(WORK)/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,-z,$* -o $(NEW) $< 2>$(WORK)/true-$*.log $(call OPTIONAL,the linker knows no -z $*)
# The same, with stamps of their start.  They run before libc has begun: without sanitizers
# and the like.  Where the entry point is not written in assembly, main() alone is stamped.
START    = $(CFLAGS) -fno-sanitize=all -fno-stack-protector -fno-lto
ENTRY    = -DENTRY -Wl,-e,start_entry
START_AT = $(if $(filter linux,$(SYSTEM)),$(CC) $(START) $(ENTRY) $(LDFLAGS) $1 -o $(NEW) $< 2>$(WORK)/$(@F).log || )$(CC) $(START) $(LDFLAGS) $1 -o $(NEW) $<
$(BINDIR)/start-dynamic: src/targets/start.c $(WORK)/flags
	$(Q)$(call START_AT) $(IN_PLACE)
$(BINDIR)/start-static: src/targets/start.c $(WORK)/flags
	$(Q)($(call START_AT,-static)) 2>$(WORK)/start-static.log $(call OPTIONAL,no static libc; see $(WORK)/start-static.log)
$(BINDIR)/start-now $(BINDIR)/start-lazy: $(BINDIR)/start-%: src/targets/start.c $(WORK)/flags
	$(Q)($(call START_AT,-Wl$(COMMA)-z$(COMMA)$*)) 2>$(WORK)/start-$*.log $(call OPTIONAL,the linker knows no -z $*)
$(BINDIR)/start-nolibc: src/targets/start.c $(WORK)/flags
	$(Q)($(CC) -O2 -fno-stack-protector -DNOLIBC -c -o $(NEW).o $< && $(CC) -static -nostdlib -o $(NEW) $(NEW).o; s=$$?; rm -f $(NEW).o; exit $$s) 2>$(WORK)/start-nolibc.log $(call OPTIONAL,not written for this system; see $(WORK)/start-nolibc.log)
$(BINDIR)/write-output: src/targets/write-output.c $(WORK)/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $(NEW) $< $(IN_PLACE)
$(BINDIR)/sh-dynamic: src/targets/sh.c $(WORK)/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $(NEW) $< $(IN_PLACE)
$(BINDIR)/sh-static: src/targets/sh.c $(WORK)/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $(NEW) $< 2>$(WORK)/sh-static.log $(call OPTIONAL,no static libc; see $(WORK)/sh-static.log)
$(TARGETS:%=$(BINDIR)/static/%): $(BINDIR)/static/%: $(BINDIR)/%
	$(Q)if [ -f $< ]; then cp -f $< $(NEW) $(IN_PLACE); fi

# The scripts of the shell tests are beside looper, which runs them, also in another folder
ifneq ($(abspath $(BINDIR)),$(abspath pgms))
SCRIPTS := $(BINDIR)/shells $(BINDIR)/shell-task
all: $(SCRIPTS)
$(SCRIPTS): $(BINDIR)/%: pgms/% $(WORK)/flags
	$(Q)cp -p $< $(NEW) $(IN_PLACE)
endif

# 64 equal files: the loader takes each for a library of its own.
$(BINDIR)/libraries/done: src/targets/library.c $(WORK)/flags
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -fPIC -shared -o $(NEW) $<
	$(Q)for i in $(LIBRARIES); do cp -f $(NEW) $(NEW)-$$i && mv -f $(NEW)-$$i $(@D)/lib$$i.so || exit; done
	$(Q)rm -f $(NEW); touch $@

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1|/p' Makefile | awk -F'|' '{ printf "make %-16s %s\n", $$1, $$2 }'

## clean: removes what was built
clean:
	rm -rf build $(BINDIR)/static $(BINDIR)/libraries
	rm -f $(BINDIR)/trace $(PROGRAMS:%=$(BINDIR)/%) $(TARGETS:%=$(BINDIR)/%) $(SCRIPTS)

# For ./Run trace, and for make bench; neither is a test
PLAIN = $(COMPILE) $(LDFLAGS) $(BINDING) -o $(NEW) $(filter-out %.h,$^) $(IN_PLACE)
$(BINDIR)/trace: $(wildcard src/trace/*.c) src/trace/creation.h $(patsubst %,$(WORK)/dynamic/%.o,$(filter-out main,$(PARTS)) $(CLONE)) $(WORK)/methods.h
	$(Q)$(COMPILE) $(LDFLAGS) $(NOW) -o $(NEW) $(filter-out %.h,$^) $(LIBS) $(IN_PLACE)

# bare-classic for spawn, which is linked as the classic suite's; each image of execl is loaded anew
$(WORK)/bare: BINDING = $(NOW)
$(WORK)/bare $(WORK)/bare-classic: $(filter-out %/execl.c,$(wildcard src/bench/*.c)) src/bench/bare.h $(patsubst %,$(WORK)/dynamic/%.o,$(SHARED) turns) $(WORK)/methods.h
	$(Q)$(PLAIN)
$(WORK)/bare-execl: src/bench/execl.c $(WORK)/flags
	$(Q)$(CC) $(WARN) $(CFLAGS) $(LDFLAGS) -o $(NEW) $< $(IN_PLACE)

# ---- Windows -----------------------------------------------------------------------
# WINDOWS_TARGET=i686-w64-mingw32 for 32 bits
WINDOWS_TARGET ?= x86_64-w64-mingw32
WINDOWS_FOLDER = $(WORK)/windows/$(WINDOWS_TARGET)
WINDOWS_C = $(WINDOWS_TARGET)-gcc $(WARN) $(WINDOWS_FLAGS) -O2 -static -s -Isrc \
            -D_WIN32_WINNT=0x0600 -D__USE_MINGW_ANSI_STDIO=1 -DPSAPI_VERSION=1 \
            -DSPAWNMETER_VERSION='"$(VERSION)"' -o $@ $(filter %.c,$^)
WINDOWS_PARTS = src/windows/system.c src/harness/histogram.c
WINDOWS_EXE = $(patsubst %,$(WINDOWS_FOLDER)/%.exe,createprocess thread spawnmeter true-minimal true-runtime)
.PHONY: windows windows-compiler
## windows: the programs for Windows, into build/windows (needs gcc-mingw-w64)
windows: $(WINDOWS_EXE)
windows-compiler:
	$(Q)command -v $(WINDOWS_TARGET)-gcc >/dev/null || { echo "make windows needs $(WINDOWS_TARGET)-gcc: apt-get install gcc-mingw-w64 (Debian, Ubuntu)" >&2; exit 2; }
$(WINDOWS_EXE): | windows-compiler
$(WINDOWS_EXE): src/windows/windows.h src/windows/report.h src/harness/histogram.h VERSION Makefile
$(WINDOWS_FOLDER)/createprocess.exe $(WINDOWS_FOLDER)/thread.exe: $(WINDOWS_FOLDER)/%.exe: src/windows/%.c src/windows/harness.c src/windows/options.c $(WINDOWS_PARTS)
	$(Q)mkdir -p $(@D); $(WINDOWS_C) -lpsapi
$(WINDOWS_FOLDER)/spawnmeter.exe: $(patsubst %,src/windows/%.c,spawnmeter report facts passes) $(WINDOWS_PARTS)
	$(Q)mkdir -p $(@D); $(WINDOWS_C) -ladvapi32
$(WINDOWS_FOLDER)/true-runtime.exe: src/windows/targets/true-runtime.c
	$(Q)mkdir -p $(@D); $(WINDOWS_C)
# i686 puts a _ before the names of C
$(WINDOWS_FOLDER)/true-minimal.exe: src/windows/targets/true-minimal.c
	$(Q)mkdir -p $(@D); $(WINDOWS_C) -nostdlib -Wl,-e,$(if $(filter i686%,$(WINDOWS_TARGET)),_)start -lkernel32

# ---- installing ----------------------------------------------------------------
# PREFIX=/usr/local DESTDIR= LIBEXECDIR= DATADIR= MANDIR= DOCDIR= BASHDIR= ZSHDIR= PERL=
.PHONY: install uninstall dist bundle deb phoronix check-packages
## install: spawnmeter, its manual page and completions into PREFIX=/usr/local
install: all
	$(Q)$(MAKE) -s -k static >$(WORK)/static.log 2>&1 || echo "not all programs can be linked statically here; see $(WORK)/static.log"
	$(Q)PROGRAMS='$(abspath $(BINDIR))' perl tools/install install
## uninstall: removes what make install has put there
uninstall:
	$(Q)perl tools/install uninstall
## dist: build/spawnmeter-VERSION.tar.gz, always the same for the same files, and its checksum
dist:
	$(Q)perl tools/dist $(WORK)
## bundle: static programs and run.sh, for machines without perl (TARGET=aarch64-linux-musl ...)
bundle:
	$(Q)perl tools/bundle $(WORK) $(if $(filter command,$(origin TARGET)),$(TARGET))
## deb: a Debian package of that tarball into build/deb (needs debhelper)
deb: dist
	$(Q)sh packaging/debian/build $(WORK)

## phoronix: the profile for the Phoronix Test Suite, into build/phoronix
phoronix: dist
	$(Q)sh packaging/phoronix/build $(WORK)

.PHONY: fleet check-fleet
## fleet: measures on the hosts of an inventory and compares them (INVENTORY=hosts; needs ansible-core)
fleet:
	$(Q)command -v ansible-playbook >/dev/null || { echo "make fleet needs Ansible: apt-get install ansible-core, or pip install ansible-core; tools/remote HOST... needs only ssh" >&2; exit 2; }
	$(Q)test -n "$(INVENTORY)" || { echo "name an inventory: make fleet INVENTORY=hosts (fleet/inventory.example is one)" >&2; exit 2; }
	$(Q)ansible-playbook -i "$(INVENTORY)" fleet/site.yml $(FLEET_FLAGS)

# The methods' names, for tests
methods:
	@echo $(METHODS)

# ---- checks ------------------------------------------------------------------
# PROVE_FLAGS=-v shows every check.
PROVE := prove -r -Ilib $(PROVE_FLAGS)

# Three at a time, since some of them wait, and the longest first: each must pass beside other work
CHECKED := t/cli t/lint t/golden t/c t/programs t/unit
## check: every check but the slow ones (three to six minutes)
check: all static
	$(Q)$(PROVE) -j3 --rules='par=**' $(CHECKED)

## check-fast: the checks without a measurement, a compiler or a linter
check-fast: all
	$(Q)$(PROVE) -j2 t/unit t/golden

## check-faults: injects faults and prints the table of what was lost and left
# FAULTS=N: moments of each kind of signal, instead of ten; FAULTS_SEED=N: others
check-faults: all static
	$(Q)rm -f $(WORK)/faults.table
	$(Q)FAULT_TABLE=$(CURDIR)/$(WORK)/faults.table FUZZ=$(or $(FUZZ),10000) \
	  $(PROVE) -j2 --rules='par=**' t/faults t/unit/Store/ImportFuzz.t
	$(Q)printf '%-64s %5s %5s %9s %6s\n' fault times lost processes files; sort $(WORK)/faults.table
	$(Q)awk '{ t += $$(NF-3); l += $$(NF-2); p += $$(NF-1); f += $$NF } END { printf "%-64s %5d %5d %9d %6d\n", "all", t, l, p, f }' $(WORK)/faults.table

SANITIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
## check-sanitize: the programs under AddressSanitizer, UndefinedBehaviorSanitizer and valgrind; clang-tidy
check-sanitize: all static
	$(Q)$(MAKE) -s WORK=build/sanitize BINDIR=build/sanitize/pgms CFLAGS='$(SANITIZE)' all
	$(Q)PROGRAMS=$(CURDIR)/build/sanitize/pgms FUZZ=$(or $(FUZZ),1500) $(PROVE) -j2 t/sanitize t/c/options-fuzz.t

## check-platforms: other systems: compilers, qemu-user, Debian roots, wine (LONG=1: all suites)
check-platforms: all
	$(Q)LONG=$(LONG) $(PROVE) -j2 --rules='par=t/platforms/*' t/platforms

## check-packages: installing, tarball, packages, and the readers of exports (needs .ci/run's tools)
check-packages: all static
	$(Q)$(PROVE) t/packaging t/export

## check-fleet: a fleet of seven hosts in network namespaces (root; needs ansible-core and sshd)
check-fleet: all
	$(Q)$(PROVE) t/fleet

## check-portable: the bundle for machines without perl, in a bare root and under qemu
check-portable: all
	$(Q)$(PROVE) t/portable

## check-long: what is too slow for each change: 20 moments of each signal, 10,000 fuzzed command lines, an hour of runs, all published experiments
check-long: export LONG = 1
check-long:
	$(Q)$(MAKE) check
	$(Q)$(MAKE) check-faults FAULTS=20
	$(Q)$(MAKE) check-sanitize FUZZ=10000
	$(Q)$(MAKE) check-platforms LONG=1
	$(Q)$(MAKE) check-packages
	$(Q)$(MAKE) check-fleet
	$(Q)$(MAKE) check-portable
	$(Q)$(MAKE) soak MINUTES=60
	$(Q)mkdir -p $(WORK)/published && ./Run published --again --output $(WORK)/published

## cover: which statements and branches of lib/ the checks reach (needs Devel::Cover)
# What a check starts is counted, too; the simulations reach little more and take long
SIMULATIONS = %/Simulation.t %/ImportFuzz.t
COVERED = $(filter-out $(SIMULATIONS),$(shell find t/unit -name '*.t')) t/programs t/golden t/cli/classic.t t/cli/ab.t t/cli/export.t
COVER = $(CURDIR)/tmp/cover
cover: all static
	$(Q)rm -rf $(COVER); mkdir -p $(COVER)/databases
	$(Q)CODE_COVERAGE=$(COVER)/databases PERL5OPT='-I$(CURDIR)/t/lib -MCodeCoverage' \
	  $(PROVE) -j2 $(COVERED) >$(COVER)/log 2>&1; tail -n 1 $(COVER)/log
	$(Q)for form in compilation text; do cover -silent -report $$form -select_re lib/SpawnMeter/ \
	  $(COVER)/databases/* 2>/dev/null | sed 's|$(CURDIR)/||' >$(COVER)/$$form; done
	$(Q)grep -E '^(Uncovered statement|Branch)' $(COVER)/compilation >$(COVER)/uncovered
	$(Q)for module in $$(find lib -name '*.pm'); do \
	  grep -q "$$(printf %s $$module | tail -c 40) " $(COVER)/text || echo "Never loaded: $$module"; \
	  done | tee -a $(COVER)/uncovered   # names in the text are cut at the left
	$(Q)grep -E '^(([.]{3}|lib/).*[0-9]|Total|File)' $(COVER)/text
	@echo 'What is not covered: tmp/cover/uncovered'

## layers: the graph of the modules, by layer
layers:
	@perl tools/layers

## sizes: the longest line, sub and module
sizes:
	@perl tools/sizes -s $$(find lib -name '*.pm')

## bench: what the suite itself costs, one line a figure (PAIRS=31: some two minutes)
bench: all $(WORK)/bare $(WORK)/bare-classic $(WORK)/bare-execl
	$(Q)perl -Ilib bench/cost.pl $(if $(TREE),--tree '$(subst ','\'',$(TREE))') $(PAIRS)

## bench-copies: the rates of 1 to 1,024 copies against the kernel's own count (ten minutes)
bench-copies: all
	$(Q)perl bench/copies.pl
## simulate: how often intervals and comparisons are right, by simulated runs (RUNS=2000)
simulate:
	$(Q)nice perl bench/simulate.pl $(or $(RUNS),2000)
	$(Q)nice perl bench/bounds.pl $(or $(RUNS),2000)
	$(Q)nice perl bench/recorded.pl
	$(Q)nice perl bench/estimators.pl $(or $(RUNS),2000)

## bench-ab: what ./Run ab finds on this machine (RUNS=40 SECONDS=60: eight hours)
bench-ab: all
	$(Q)perl bench/ab.pl $(or $(RUNS),40) $(or $(SECONDS),60)
## simulate-ab: the same by simulated runs (RUNS=200)
simulate-ab:
	$(Q)nice perl bench/simulate-ab.pl $(or $(RUNS),200)

## soak: ./Run process over and over (MINUTES=60): does memory grow?
soak: all
	$(Q)perl bench/soak.pl $(or $(MINUTES),60)

## golden: records t/golden/expected anew, on purpose
golden:
	$(Q)for form in $$(perl t/golden/make.pl); do perl t/golden/make.pl $$form > t/golden/expected/$$form || exit; done

## usage: USAGE from the manual in Run
usage: USAGE
USAGE: Run
	$(Q)LC_ALL=C pod2text -w 78 Run > $@.new && mv -f $@.new $@

PERL_FILES = $(shell git ls-files 2>/dev/null | grep -E '[.](pm|pl|t)$$|^Run$$|^tools/[a-z-]+$$' | grep -v '^tools/remote$$')
C_FILES    = $(shell git ls-files 2>/dev/null | grep -E '^(src|t)/.*[.][ch]$$')
## tidy: formats the source by perltidy and clang-format, Debian 12's versions
tidy:
	$(Q)perltidy -pro=.perltidyrc -b -bext=/ $(PERL_FILES)
	$(Q)clang-format -i $(C_FILES)

# ---- a classic UnixBench tree ---------------------------------------------------
.PHONY: classic install-into remove-from dist-patch recipes
# As they are: make expands nothing in them
override UNIXBENCH := $(value UNIXBENCH)
override TO := $(value TO)
export UNIXBENCH TO
## classic: a copy of a UnixBench tree with the six process tests (UNIXBENCH=DIR TO=NEWDIR)
classic: all
	$(Q)UB_BINDIR='$(abspath $(BINDIR))' perl tools/classic "$$UNIXBENCH" "$$TO"

GONE = @echo "make $@ is gone: $1" >&2; exit 2
install-into:
	$(call GONE,make classic UNIXBENCH=DIR TO=NEWDIR makes a copy of DIR with the tests in it)
remove-from:
	$(call GONE,a copy that make classic made is removed by rm -r; what 0.3 to 0.5 installed by the remove-from of 0.5.0)
dist-patch:
	$(call GONE,make classic UNIXBENCH=DIR TO=NEWDIR and diff -ru DIR NEWDIR)
recipes:
	$(call GONE,make phoronix fills in the test profile and make deb makes a package; other packages can call make install)
