# SPDX-License-Identifier: GPL-2.0-or-later
# SpawnMeter: builds the test programs into pgms/.
#
# make help lists the targets.
#
# CC, CPPFLAGS, CFLAGS, LDFLAGS and UB_GCC_OPTIONS (instead of CFLAGS) override.  What is built is
# portable: there is no -march=native.  BINDIR=DIR WORK=DIR build the programs elsewhere.

VERSION := $(shell cat VERSION)
CFLAGS  ?= $(if $(UB_GCC_OPTIONS),$(UB_GCC_OPTIONS),-O2)
BINDIR   = pgms
WORK     = build
# perl-free and quiet: V=1 shows the commands
Q := $(if $(V),,@)

PROGRAMS := $(patsubst src/%.c,%,$(wildcard src/*.c))
TARGETS  := true-dynamic true-static true-nolibc true-now true-lazy sh-dynamic sh-static write-output \
            start-dynamic start-static start-nolibc start-now start-lazy
# The scripts of the shell tests are beside looper, which runs them, also in another folder
SCRIPTS  := $(if $(filter-out $(abspath pgms),$(abspath $(BINDIR))),$(BINDIR)/shells $(BINDIR)/shell-task)
# The ways to create a process: the tests of group process
TESTS_LIST ?= pgms/tests.list
METHODS   = $(shell awk -F'|' '!/^ *\043/ && NF > 4 && (" " $$4 " ") ~ / process / { gsub(/ /, "", $$1); print $$1 }' $(TESTS_LIST))

.PHONY: all static methods clean help check check-fast check-faults check-sanitize check-platforms check-portable check-long cover layers sizes bench bench-copies bench-ab simulate simulate-ab soak golden tidy usage
.DELETE_ON_ERROR:
.SUFFIXES:

## all: what ./Run needs, into pgms (./Run calls this by itself)
all: $(BINDIR)/trace $(PROGRAMS:%=$(BINDIR)/%) $(TARGETS:%=$(BINDIR)/%) $(BINDIR)/libraries/done $(SCRIPTS)

## static: the programs linked statically, into pgms/static
static: $(PROGRAMS:%=$(BINDIR)/static/%) $(TARGETS:%=$(BINDIR)/static/%)

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "make %-16s %s\n", $$1, $$2 }'

## clean: removes what was built
clean:
	rm -rf $(WORK) $(BINDIR)/static $(BINDIR)/libraries
	rm -f $(BINDIR)/trace $(PROGRAMS:%=$(BINDIR)/%) $(TARGETS:%=$(BINDIR)/%) $(SCRIPTS)

# The methods' names, for tests
methods:
	@echo $(METHODS)

# A folder that the user names must be new, empty, or built by make before: else make would
# replace files of somebody else, and make clean remove them.  Other goals use pgms and build.
NAMED := $(filter-out pgms build build/%,$(BINDIR) $(WORK))
ifneq ($(words $(BINDIR) $(WORK)),2)
$(error BINDIR and WORK are one folder each, without blanks in its name)
endif
ifneq ($(filter-out pgms build,$(BINDIR) $(WORK)),)
ELSEWHERE := all static clean install uninstall classic methods help dist deb phoronix windows
FIXED := $(foreach goal,$(filter-out $(ELSEWHERE),$(MAKECMDGOALS)),$(if $(findstring /,$(goal)),,$(goal)))
$(if $(FIXED),$(error make $(FIXED) uses pgms and build: leave out BINDIR and WORK))
endif
ifneq ($(if $(filter dist deb phoronix windows,$(MAKECMDGOALS)),,$(NAMED)),)
FOREIGN := $(shell for folder in $(NAMED:%='%'); do \
	[ -d "$$folder/dynamic" ] || [ -d "$$folder/libraries" ] || \
	[ -z "$$(ls -A "$$folder" 2>/dev/null | grep -vxF '$(UNFINISHED)')" ] || echo "$$folder"; done)
$(if $(FOREIGN),$(error $(FOREIGN) holds files that make has not built; name a new folder))
endif

# No compiler is asked where nothing is compiled
ifneq ($(filter-out help clean uninstall dist deb phoronix layers sizes golden usage tidy fleet simulate simulate-ab install-into remove-from dist-patch recipes,$(or $(MAKECMDGOALS),all)),)
include mk/programs.mk
endif

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
$(WINDOWS_EXE): src/windows/windows.h src/windows/report.h src/harness/histogram.h VERSION $(filter-out $(WORK)/%,$(MAKEFILE_LIST))
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
