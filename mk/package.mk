# SPDX-License-Identifier: GPL-2.0-or-later
# Tarball, packages, bundle and fleet.

## dist: build/spawnmeter-VERSION.tar.gz, always the same for the same files, and its checksum
dist:
	$(Q)perl tools/dist $(WORK)
## bundle: static programs and run.sh, for machines without perl (others: tools/bundle build TARGET ...)
bundle:
	$(if $(filter command,$(origin TARGET)),$(error for other machines call tools/bundle build aarch64-linux-musl ...))
	$(Q)perl tools/bundle $(WORK)
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
