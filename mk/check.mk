# SPDX-License-Identifier: GPL-2.0-or-later
# The checks, and what the source is looked after with.

# PROVE_FLAGS=-v shows every check.  Four at a time, since some of them wait: each must pass
# beside other work.  What takes long is named first, so that it does not end last
PROVE = STAGE=$@ perl -It/lib -S prove --harness StageTimes -r -Ilib -j4 --rules='par=**' $(PROVE_FLAGS)

## check: every check but the slow ones
check: all static
	$(Q)$(PROVE) t/lint t/cli t/golden t/c t/programs t/unit

## check-fast: the checks without a measurement, a compiler or a linter
check-fast: all
	$(Q)$(PROVE) t/unit t/golden

FAULTS_FIRST = $(patsubst %,t/faults/%.t,hostile-texts surroundings numbers time ab limits)
## check-faults: injects faults and prints the table of what was lost and left
# FAULTS=N: moments of each kind of signal, instead of two; FAULTS_SEED=N: the same again
check-faults: all static
	$(Q)rm -f $(WORK)/faults.table
	$(Q)FAULT_TABLE="$$PWD/$(WORK)/faults.table" $(PROVE) $(FAULTS_FIRST) t/faults

SANITIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
## check-sanitize: the programs under AddressSanitizer, UndefinedBehaviorSanitizer and valgrind; clang-tidy
check-sanitize: all static sanitized
	$(Q)SANITIZED="$$PWD/build/sanitize/pgms" FUZZ=$(or $(FUZZ),500) $(PROVE) t/c/options-fuzz.t t/sanitize

sanitized: all
	$(Q)$(MAKE) -s WORK=build/sanitize BINDIR=build/sanitize/pgms CFLAGS='$(SANITIZE)' all

## check-platforms: other systems: compilers, qemu-user, Debian roots, wine (LONG=1: all of these)
check-platforms: all
	$(Q)LONG=$(LONG) $(PROVE) t/platforms

## check-packages: installing, tarball, packages, readers of exports; check-portable; check-fleet
check-packages: all static
	$(Q)$(PROVE) t/fleet/fleet.t t/packaging/deb.t t/fleet t/packaging t/portable t/export
## check-portable: the bundle for machines without perl, in a bare root and under qemu
## check-fleet: hosts in network namespaces (root; needs ansible-core and sshd)
check-portable check-fleet: check-%: all
	$(Q)$(PROVE) t/$*

## check-slow: the files of check-faults, -sanitize, -platforms and -packages at once: some of them wait while others compute
check-slow: all static kernels sanitized
	$(Q)rm -f $(WORK)/faults.table
	$(Q)FAULT_TABLE="$$PWD/$(WORK)/faults.table" SANITIZED="$$PWD/build/sanitize/pgms" FUZZ=$(or $(FUZZ),500) $(PROVE) \
	  $(patsubst %,t/%.t,platforms/bare fleet/fleet packaging/deb platforms/kernels sanitize/programs platforms/emulated) \
	  $(FAULTS_FIRST) t/faults t/c/options-fuzz.t $(patsubst %,t/%,sanitize platforms fleet packaging portable export)

## check-long: what is too slow for each change: simulations, ten moments of each signal, 10,000 fuzzed inputs, bare and foreign Debian roots, an hour of runs, all published experiments
check-long: export LONG = 1
check-long:
	$(Q)$(MAKE) check FUZZ=10000
	$(Q)$(MAKE) check-faults FAULTS=10
	$(Q)$(MAKE) check-sanitize FUZZ=10000
	$(Q)$(MAKE) check-platforms
	$(Q)$(MAKE) check-packages
	$(Q)$(PROVE) t/model
	$(Q)$(MAKE) soak MINUTES=60
	$(Q)mkdir -p $(WORK)/published && ./Run published --again --output $(WORK)/published

## cover: which statements and branches of lib/ the checks reach (needs Devel::Cover)
# What a check starts is counted, too; fuzzed input reaches little more and takes long
COVERED = $(filter-out %/ImportFuzz.t,$(shell find t/unit -name '*.t')) t/programs t/golden t/cli/classic.t t/cli/ab.t t/cli/export.t
COVER = $(CURDIR)/tmp/cover
cover: all static
	$(Q)rm -rf $(COVER); mkdir -p $(COVER)/databases
	$(Q)CODE_COVERAGE=$(COVER)/databases PERL5OPT='-I$(CURDIR)/t/lib -MCodeCoverage' \
	  $(PROVE) $(COVERED) >$(COVER)/log 2>&1; tail -n 1 $(COVER)/log
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

## pictures: draws the pictures of README from the runs in docs/pictures
pictures:
	$(Q)perl tools/pictures

## golden: records t/golden/expected anew, on purpose
golden:
	$(Q)perl t/golden/make.pl t/golden/expected

## usage: USAGE from the manual in Run and the table of options
usage: USAGE
USAGE: Run lib/SpawnMeter/Help.pm lib/SpawnMeter/Options/Table.pm
	$(Q)./Run help all > $@.new && mv -f $@.new $@

## manifest: the list of the files that belong to the tree, from those that git knows
manifest:
	$(Q)git ls-files >MANIFEST.new && mv -f MANIFEST.new MANIFEST

PERL_FILES = $(shell grep -E '[.](pm|pl|t)$$|^Run$$|^tools/[a-z-]+$$' MANIFEST)
C_FILES    = $(shell grep -E '^(src|t)/.*[.][ch]$$' MANIFEST)
## tidy: formats the source by perltidy and clang-format, Debian 12's versions
tidy:
	$(Q)perltidy -pro=.perltidyrc -b -bext=/ $(PERL_FILES)
	$(Q)clang-format -i $(C_FILES)
