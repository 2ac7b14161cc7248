# SPDX-License-Identifier: GPL-2.0-or-later
# What the suite costs, and how often it is right.

## bench: what the suite itself costs, one line a figure (PAIRS=31: some two minutes)
bench: all $(WORK)/bare $(WORK)/bare-classic $(WORK)/bare-execl
	$(Q)perl -Ilib bench/cost.pl $(if $(TREE),--tree '$(subst ','\'',$(TREE))') $(PAIRS)

## bench-copies: the rates of 1 to 1,024 copies against the kernel's own count (ten minutes)
bench-copies: all
	$(Q)perl bench/copies.pl
## simulate: how often intervals and comparisons are right, by simulated runs (RUNS=2000)
simulate:
	$(Q)nice perl bench/simulate.pl $(or $(RUNS),2000)
	$(Q)nice perl bench/recorded.pl

## bench-ab: what ./Run ab finds on this machine (RUNS=40 SECONDS=60: eight hours)
bench-ab: all
	$(Q)perl bench/ab.pl $(or $(RUNS),40) $(or $(SECONDS),60)
## simulate-ab: the same by simulated runs (RUNS=200)
simulate-ab:
	$(Q)nice perl bench/simulate-ab.pl $(or $(RUNS),200)

## soak: ./Run process over and over (MINUTES=60): does memory grow?
soak: all
	$(Q)perl bench/soak.pl $(or $(MINUTES),60)
