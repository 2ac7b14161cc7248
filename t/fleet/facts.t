# SPDX-License-Identifier: GPL-2.0-or-later
# A host that names facts like the variables of the role sets none of these: they choose
# folders, and options of commands, on the machine that compares.
use lib 't/lib';
use TestHelp;
use File::Temp ();

chdir $ROOT or die;
plan skip_all => 'no ansible-playbook' if !needs(0, qw(ansible-playbook python3));
my $folder = File::Temp->newdir('sm-facts-XXXXXX', TMPDIR => 1);    # no blanks, for ansible

# The host's python: what gathers facts prints two more
spew("$folder/python", <<'END');
#!/bin/sh
case $1 in
*setup.py) python3 "$@" | sed 's/"ansible_facts": {/&"spawnmeter_round": 66, "other": 77, /' ;;
*) exec python3 "$@" ;;
esac
END
chmod 0755, "$folder/python" or die;
spew("$folder/hosts", "host ansible_connection=local ansible_python_interpreter=$folder/python\n");
spew("$folder/show.yml", <<'END');
- hosts: host
  gather_facts: false
  tasks:
    - debug: {msg: "round {{ spawnmeter_round }}, other {{ other }}"}
END
my $got = command(
    { env => { ANSIBLE_NOCOLOR => 1, ANSIBLE_FORCE_COLOR => undef } }, 'ansible-playbook',
    '-i', "$folder/hosts",
    '--check', 'fleet/site.yml',
    "$folder/show.yml", '-e',
    qq({"spawnmeter_folder": "$folder/run"})
);
like($got->{out}, qr/"msg": "round 1, other 77"/, 'the default stays, beside the facts')
    or diag $got->{out}, $got->{err};
done_testing;
