# SPDX-License-Identifier: GPL-2.0-or-later
# The checks, and what the source is looked after with.

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

## golden: records t/golden/expected anew, on purpose
golden:
	$(Q)for form in $$(perl t/golden/make.pl); do perl t/golden/make.pl $$form > t/golden/expected/$$form || exit; done

## usage: USAGE from the manual in Run
usage: USAGE
USAGE: Run
	$(Q)LC_ALL=C pod2text -w 78 Run > $@.new && mv -f $@.new $@

PERL_FILES = $(shell git ls-files 2>/dev/null | grep -E '[.](pm|pl|t)$$|^Run$$|^tools/[a-z-]+$$')
C_FILES    = $(shell git ls-files 2>/dev/null | grep -E '^(src|t)/.*[.][ch]$$')
## tidy: formats the source by perltidy and clang-format, Debian 12's versions
tidy:
	$(Q)perltidy -pro=.perltidyrc -b -bext=/ $(PERL_FILES)
	$(Q)clang-format -i $(C_FILES)
