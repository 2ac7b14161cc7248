# SPDX-License-Identifier: GPL-2.0-or-later
# How the programs are compiled and linked.  Everything is built beside its place and renamed
# there: what is there is whole, also after the build was killed.

# ---- the compiler and the linker ------------------------------------------------------
# The system that the compiler builds for, which may be another one than this
MACHINE  := $(subst macos,darwin,$(or $(shell $(CC) $(CFLAGS) -dumpmachine 2>/dev/null),$(shell uname -s | tr A-Z a-z)))
SYSTEM   := $(or $(firstword $(foreach name,linux darwin,$(findstring $(name),$(MACHINE)))),posix)
# zig writes a.o even when it is asked for its version: not into this folder
PROBE     = $(if $(findstring zig,$(CC)),cd $(WORK) && )
TRIAL    := $(WORK)/$(UNFINISHED)/probe
LINKER   := $(shell mkdir -p $(WORK)/$(UNFINISHED); $(CC) -Wl,--version -o $(TRIAL) 2>/dev/null | head -n 1)
# What the programs say of themselves, and what Run puts into the report
BUILD    := $(strip $(shell $(PROBE)$(CC) --version 2>/dev/null | head -n 1), $(CPPFLAGS) $(CFLAGS) $(LDFLAGS))$(if $(LINKER),; $(LINKER))
COMMA    := ,
# Symbols are bound at start: else each child of fork() looks up _exit() anew, or not, as the
# distribution's linker has it.  A classic suite's programs are linked as the compiler does it,
# and so are the tests beside which they stand.
CLASSIC  := context1 execl filecopy looper pipe spawn syscall
HAS_Z    := $(findstring GNU,$(LINKER))$(findstring LLD,$(LINKER))$(findstring mold,$(LINKER))
NOW      := $(if $(HAS_Z),-Wl$(COMMA)-z$(COMMA)now)
# Code and constants in one mapping: the programs have more of them than a bare loop, each fork
# copies the mappings, and each child, or each image of execl, maps their pages anew.  The kernel
# maps what lies within the same 64 kB with one page fault: the code begins there, so that it is
# the same in each start.  What is constant once the symbols are bound is no mapping of its own.
# Some linkers do not know the options.
ONE_PART := -Wl,-z,noseparate-code -Wl,-z,max-page-size=65536 -Wl,-z,norelro
TRY      = $(shell echo 'int main(void) { return 0; }' | \
            $(CC) $(LDFLAGS) $1 -o $(TRIAL).$$$$ -x c - 2>/dev/null && echo '$1'; \
            rm -f $(TRIAL).$$$$)
JOINED   := $(if $(HAS_Z),$(call TRY,$(ONE_PART)))
# For its size
SIZE     := $(or $(call TRY,-Oz),-Os)
# A program has only what its test names (struct feature): the linker leaves out the rest
NEEDED_ONLY := $(or $(call TRY,-Wl$(COMMA)--gc-sections),$(call TRY,-Wl$(COMMA)-dead_strip))
SECTIONS := $(if $(NEEDED_ONLY),-ffunction-sections -fdata-sections)
# Nothing is thrown through the programs, and a debugger finds its way by what -g adds
NO_TABLES := -fno-asynchronous-unwind-tables
# What runs neither between two creations nor in a reference loop, and is compiled for its size
SMALL    := placement main options util pause turns again os-% limits-% linkage-elf cgroup folders footprint results outcome spawners own group depth loader-%

# ---- the parts of the programs ------------------------------------------------------------
OS_FILES := $(if $(filter linux,$(SYSTEM)),os-linux limits-linux cgroup,os-posix) \
            $(if $(filter darwin,$(SYSTEM)),,linkage-elf)
# A program has those of them that its test names (struct feature) or calls.  What a child runs is
# linked first, whose pages are mapped 64 kB at a time; and so is what is written while a test runs,
# which lies together: every page more is copied by fork.
PARTS    := $(if $(filter linux,$(SYSTEM)),loader-linux) pidfd starters target copies environment start touch latch placement reap group \
            util main loop pass child options pause turns again histogram $(OS_FILES) $(if $(filter cgroup,$(OS_FILES)),,cgroup) \
            folders footprint reference results outcome spawners own depth
LIBS     := -pthread $(if $(filter linux darwin,$(SYSTEM)),-ldl)

# ---- compiling --------------------------------------------------------------------------
# vfork, which macOS calls deprecated, is what is measured
WARN     := -Wall -Wextra -Wshadow $(if $(filter darwin,$(SYSTEM)),-Wno-deprecated-declarations)
DEFINES  := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DSPAWNMETER_VERSION='"$(VERSION)"' -Isrc -I$(WORK) \
            -DSPAWNMETER_BUILD='"$(subst ",,$(subst ','\'',$(BUILD)))"'
# The number keeps two makes at once apart.
NONCE    := $(shell echo $$$$)
NEW       = $(WORK)/$(UNFINISHED)/$(NONCE)-$(subst /,-,$@)
IN_PLACE  = && mv -f $(NEW) $@ || { rm -f $(NEW); exit 1; }
# Each has a list of the headers that it includes
LIST      = $(WORK)/headers/$(subst /,-,$@).d
COMPILE   = $(CC) $(WARN) $(CPPFLAGS) $(CFLAGS) $(SECTIONS) $(NO_TABLES) $(DEFINES) -pthread -MMD -MP -MT $@ -MF $(NEW).d
LISTED    = && mv -f $(NEW).d $(LIST) $(IN_PLACE)

# $(WORK)/flags changes when compiler or flags do, and everything is built anew.
$(WORK)/flags: FORCE
	$(Q)mkdir -p $(addprefix $(WORK)/,dynamic static headers $(UNFINISHED)) $(BINDIR)/static $(BINDIR)/libraries
	$(Q)printf '%s\n' '$(subst ','\'',$(VERSION) | $(CC) | $(BUILD) | $(NOW) $(JOINED) $(NEEDED_ONLY) $(NO_TABLES) $(SMALL) | $(BINDIR))' > $(NEW)
	$(Q)if cmp -s $(NEW) $@; then rm -f $(NEW); else mv -f $(NEW) $@; fi
FORCE:

# A list that C files expand: METHODS(X) is X(fork) X(vfork) ...
$(WORK)/methods.h: $(TESTS_LIST) $(WORK)/flags
	$(Q)printf '#define METHODS(X) %s\n' '$(foreach method,$(METHODS),X($(method)))' > $(NEW) $(IN_PLACE)

# Objects: $1 is dynamic or static, $2 the folder, $3 the beginning of the object's name
define OBJECTS
$(WORK)/$1/$3%.o: src/$2/%.c $(WORK)/flags | $(WORK)/methods.h
	$$(Q)$$(COMPILE) $$(if $$(filter $$(SMALL),$$*),$$(patsubst -O2,$(SIZE),$$(filter -O2,$$(CFLAGS)))) $(if $(filter static,$1),-DSTATIC_BUILD) -c -o $$(NEW) $$< $$(LISTED)
endef
# Programs: $1 as before, $2 their folder, $3 how they are linked
define LINKED
$(PROGRAMS:%=$2/%): $2/%: src/%.c $(PARTS:%=$(WORK)/$1/%.o)
	$$(Q)$$(COMPILE) $(JOINED) $(NEEDED_ONLY) $(LDFLAGS) $3 -o $$(NEW) $$(filter %.c,$$^) $(PARTS:%=$(WORK)/$1/%.o) $$(if $(filter static,$1),-pthread,$(LIBS)) $$(LISTED)
endef
$(foreach kind,dynamic static,$(eval $(call OBJECTS,$(kind),harness)))
$(foreach kind,dynamic static,$(foreach folder,trace bench portable,$(eval $(call OBJECTS,$(kind),$(folder),$(folder)-))))
$(eval $(call LINKED,dynamic,$(BINDIR),$$(if $$(filter $(CLASSIC),$$(@F)),,$(NOW))))
$(eval $(call LINKED,static,$(BINDIR)/static,-static))
-include $(wildcard $(WORK)/headers/*.d)

# For ./Run trace, for the bundle (portable/run.sh calls it), and for make bench; none is a test.
# bare-classic for spawn, which is linked as the classic suite's; each image of execl is loaded anew
OBJECTS_OF = $(patsubst src/$2/%.c,$(WORK)/$1/$2-%.o,$(wildcard src/$2/*.c))
LINK = $(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(HOW) -o $(NEW) $^ $(LIBS) $(IN_PLACE)
$(BINDIR)/trace: $(call OBJECTS_OF,dynamic,trace) $(patsubst %,$(WORK)/dynamic/%.o,$(filter-out main,$(PARTS)))
	$(LINK)
$(BINDIR)/static/summary: $(call OBJECTS_OF,static,portable) $(WORK)/static/util.o
	$(LINK)
$(WORK)/bare $(WORK)/bare-classic: $(filter-out %/bench-execl.o,$(call OBJECTS_OF,dynamic,bench)) $(patsubst %,$(WORK)/dynamic/%.o,util $(OS_FILES) turns)
	$(LINK)
$(WORK)/bare-execl: $(WORK)/dynamic/bench-execl.o
	$(LINK)
# For ./Run kernels: process 1 of the kernels, and what counts their instructions
$(BINDIR)/static/process1: src/kernels/process1.c src/kernels/mark.h $(WORK)/flags
	$(Q)$(CC) $(WARN) $(FLAGS) $(DEFINES) -static -o $(NEW) $< $(IN_PLACE)
$(BINDIR)/count.so: src/kernels/count.c src/kernels/mark.h $(WORK)/flags
	$(Q)$(CC) $(WARN) $(FLAGS) $(DEFINES) -O2 -fPIC -shared -o $(NEW) $< $(IN_PLACE)
$(BINDIR)/trace: HOW = $(NEEDED_ONLY) $(NOW)
$(WORK)/bare: HOW = $(NOW)
$(BINDIR)/static/summary: HOW = -static
$(BINDIR)/static/summary: LIBS = -pthread

# ---- what the exec tests run ------------------------------------------------------------
# A target that cannot be built here (no static libc, an unknown architecture) is left out with a
# line saying so; the exec tests say it when asked for it.  $1: name, $2: source, $3: how it is
# linked, $4: the reason, or nothing where it must be there
OPTIONAL = && mv -f $(NEW) $@ || { rm -f $(NEW) $@; echo "$@: not built here ($1; see $(WORK)/$(@F).log)"; }
FLAGS    = $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
define TARGET_OF
$(BINDIR)/$1: src/targets/$2.c $(WORK)/flags
	$$(Q)($3) $(if $4,2>$(WORK)/$1.log $$(call OPTIONAL,$4),$$(IN_PLACE))
$(BINDIR)/static/$1: $(BINDIR)/$1
	$$(Q)if [ -f $$< ]; then cp -f $$< $$(NEW) $$(IN_PLACE); fi
endef
PLAIN    = $$(CC) $$(FLAGS) $1 -o $$(NEW) $$<
NO_LIBC := no static libc
NO_Z    := the linker knows no -z
UNKNOWN := not written for this system
$(foreach name,true-dynamic write-output sh-dynamic helper,$(eval $(call TARGET_OF,$(name),$(name:%-dynamic=%),$(call PLAIN))))
$(foreach name,true sh,$(eval $(call TARGET_OF,$(name)-static,$(name),$(call PLAIN,-static),$(NO_LIBC))))
$(foreach kind,now lazy,$(eval $(call TARGET_OF,true-$(kind),true,$(call PLAIN,-Wl$$(COMMA)-z$$(COMMA)$(kind)),$(NO_Z))))
$(eval $(call TARGET_OF,true-nolibc,true-nolibc,$$(CC) -static -nostdlib -o $$(NEW) $$<,$(UNKNOWN)))
# Their shapes: position-independent or not, and the libraries that they need
$(eval $(call TARGET_OF,true-pie,true,$(call PLAIN,-fPIE -pie),the compiler knows no -pie))
$(eval $(call TARGET_OF,true-nopie,true,$(call PLAIN,-fno-PIE -no-pie),the compiler knows no -no-pie))
$(eval $(call TARGET_OF,true-static-pie,true,$(call PLAIN,-fPIE -static-pie),$(NO_LIBC)))
NEEDS     = -L$(BINDIR)/libraries -Wl,--no-as-needed $(patsubst %,-l%,$(wordlist 1,$1,$(NUMBERS))) -Wl,-rpath,'$$$$ORIGIN/libraries:$$$$ORIGIN/../libraries'
NUMBERS  := $(shell i=1; while [ $$i -le 64 ]; do echo $$i; i=$$((i+1)); done)
$(foreach n,$(NEEDED),$(eval $(call TARGET_OF,true-lib$n,true,$(call PLAIN,$(if $(filter-out 0,$n),$(call NEEDS,$n))),the linker knows no --no-as-needed)))
$(NEEDED:%=$(BINDIR)/true-lib%) $(NEEDED:%=$(BINDIR)/start-lib%): $(BINDIR)/libraries/done
$(foreach m,1 10 100,$(eval $(call TARGET_OF,true-$mM,large,$(call PLAIN,-DSIZE=$m),the linker makes no file of $m MB)))
$(eval $(call TARGET_OF,script,sh,printf '#!/bin/sh\nexit 0\n' >$$(NEW) && chmod 755 $$(NEW)))
# The same, with stamps of their start.  They run before libc has begun: without sanitizers
# and the like.  Where the entry point is not written in assembly, main() alone is stamped.
START    = $$(CC) $$(FLAGS) -fno-sanitize=all -fno-stack-protector -fno-lto $1 -o $$(NEW) $$<
START_AT = $(if $(filter linux,$(SYSTEM)),$(call START,$1 -DENTRY -Wl$$(COMMA)-e$$(COMMA)start_entry) 2>$(WORK)/start.log || )$(call START,$1)
$(eval $(call TARGET_OF,start-dynamic,start,$(call START_AT)))
$(eval $(call TARGET_OF,start-static,start,$(call START_AT,-static),$(NO_LIBC)))
$(foreach kind,now lazy,$(eval $(call TARGET_OF,start-$(kind),start,$(call START_AT,-Wl$$(COMMA)-z$$(COMMA)$(kind)),$(NO_Z))))
$(foreach n,$(NEEDED),$(eval $(call TARGET_OF,start-lib$n,start,$(call START_AT,$(if $(filter-out 0,$n),$(call NEEDS,$n))),the linker knows no --no-as-needed)))
$(eval $(call TARGET_OF,start-nolibc,start,$$(CC) -O2 -fno-stack-protector -DNOLIBC -c -o $$(NEW).o $$< && $$(CC) -static -nostdlib -o $$(NEW) $$(NEW).o; s=$$$$?; rm -f $$(NEW).o; exit $$$$s,$(UNKNOWN)))

$(SCRIPTS): $(BINDIR)/%: pgms/% $(WORK)/flags
	$(Q)cp -p $< $(NEW) $(IN_PLACE)

# 64 equal files: the loader takes each for a library of its own.
$(BINDIR)/libraries/done: src/targets/library.c $(WORK)/flags
	$(Q)$(CC) $(FLAGS) -fPIC -shared -o $(NEW) $<
	$(Q)i=1; while [ $$i -le 64 ]; do cp -f $(NEW) $(NEW)-$$i && mv -f $(NEW)-$$i $(@D)/lib$$i.so || exit; i=$$((i+1)); done
	$(Q)rm -f $(NEW); touch $@
