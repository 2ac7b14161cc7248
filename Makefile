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
# In WORK, for files that are not whole yet.  ./Run names a folder of its own, which it removes
UNFINISHED ?= new
# perl-free and quiet: V=1 shows the commands
Q := $(if $(V),,@)

PROGRAMS := $(patsubst src/%.c,%,$(wildcard src/*.c))
NEEDED   := 0 5 20 60
TARGETS  := true-dynamic true-static true-nolibc true-now true-lazy sh-dynamic sh-static write-output \
            start-dynamic start-static start-nolibc start-now start-lazy \
            true-pie true-nopie true-static-pie $(NEEDED:%=true-lib%) $(NEEDED:%=start-lib%) script helper
# Those of sweep target whose size counts, made when it asks for them: they take 111 MB
LARGE    := true-1M true-10M true-100M
# The scripts of the shell tests are beside looper, which runs them, also in another folder
SCRIPTS  := $(if $(filter-out $(abspath pgms),$(abspath $(BINDIR))),$(BINDIR)/shells $(BINDIR)/shell-task)
# The ways to create a process: the tests of group process
TESTS_LIST ?= pgms/tests.list
METHODS   = $(shell awk -F'|' '!/^ *\043/ && NF > 4 && (" " $$4 " ") ~ / process / { gsub(/ /, "", $$1); print $$1 }' $(TESTS_LIST))

.PHONY: all static large kernels methods clean help check check-fast check-faults check-sanitize check-platforms check-slow check-portable check-long sanitized cover layers sizes bench bench-copies bench-ab simulate simulate-ab soak golden manifest pictures tidy usage
.DELETE_ON_ERROR:
.SUFFIXES:

## all: what ./Run needs, into pgms (./Run calls this by itself)
all: $(BINDIR)/trace $(PROGRAMS:%=$(BINDIR)/%) $(TARGETS:%=$(BINDIR)/%) $(BINDIR)/libraries/done $(SCRIPTS)

## static: the programs linked statically, into pgms/static
static: $(PROGRAMS:%=$(BINDIR)/static/%) $(TARGETS:%=$(BINDIR)/static/%)

## kernels: what ./Run kernels needs besides QEMU, into pgms
kernels: static $(BINDIR)/static/process1 $(BINDIR)/count.so

## large: the large programs of sweep target, into pgms
large: $(LARGE:%=$(BINDIR)/%)

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "make %-16s %s\n", $$1, $$2 }'

## clean: removes what was built
clean:
	rm -rf $(WORK) $(BINDIR)/static $(BINDIR)/libraries
	rm -f $(BINDIR)/trace $(BINDIR)/count.so $(PROGRAMS:%=$(BINDIR)/%) $(TARGETS:%=$(BINDIR)/%) $(LARGE:%=$(BINDIR)/%) $(SCRIPTS)

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
ELSEWHERE := all static large kernels clean install uninstall classic methods help dist deb phoronix windows
FIXED := $(strip $(foreach goal,$(filter-out $(ELSEWHERE),$(MAKECMDGOALS)),$(if $(findstring /,$(goal)),,$(goal))))
$(if $(FIXED),$(error make $(FIXED) uses pgms and build: leave out BINDIR and WORK))
endif
ifneq ($(if $(filter dist deb phoronix windows,$(MAKECMDGOALS)),,$(NAMED)),)
FOREIGN := $(shell for folder in $(NAMED:%='%'); do \
	[ -d "$$folder/dynamic" ] || [ -d "$$folder/libraries" ] || \
	[ -z "$$(ls -A "$$folder" 2>/dev/null | grep -vxF '$(UNFINISHED)')" ] || echo "$$folder"; done)
$(if $(FOREIGN),$(error $(FOREIGN) holds files that make has not built; name a new folder))
endif

# No compiler is asked where nothing is compiled
ifneq ($(filter-out help clean uninstall dist deb phoronix layers sizes golden manifest pictures usage tidy fleet simulate simulate-ab,$(or $(MAKECMDGOALS),all)),)
include mk/programs.mk
endif
include mk/check.mk mk/package.mk mk/bench.mk mk/windows.mk

# ---- installing ----------------------------------------------------------------
# PREFIX=/usr/local DESTDIR= LIBEXECDIR= DATADIR= MANDIR= DOCDIR= BASHDIR= ZSHDIR= PERL=
.PHONY: install uninstall dist bundle deb phoronix check-packages
## install: spawnmeter, its manual page and completions into PREFIX=/usr/local
install: all
	$(Q)$(MAKE) -s -k kernels >$(WORK)/static.log 2>&1 || echo "not all programs can be linked statically here; see $(WORK)/static.log"
	$(Q)PROGRAMS='$(BINDIR)' perl tools/install install
## uninstall: removes what make install has put there
uninstall:
	$(Q)perl tools/install uninstall

# ---- a classic UnixBench tree ---------------------------------------------------
.PHONY: classic
# As they are: make expands nothing in them
override UNIXBENCH := $(value UNIXBENCH)
override TO := $(value TO)
export UNIXBENCH TO
## classic: a copy of a UnixBench tree with the six process tests (UNIXBENCH=DIR TO=NEWDIR)
classic: all
	$(Q)UB_BINDIR='$(BINDIR)' perl tools/classic "$$UNIXBENCH" "$$TO"
