# SPDX-License-Identifier: GPL-2.0-or-later
package FleetHosts;

# Hosts for the checks of fleet/: each is sshd in network, mount, host-name and process
# namespaces of its own, with a copy of this machine's files (t/fleet/host).  They share a
# network with the caller, which must be in a network namespace of its own.
#
#   enter(): runs the script again in a network namespace of its own, or skips all of it with
#       the reason
#   start({ name => kind }) -> { folder, hosts => { name => { address, pid } } }; kinds:
#       t/fleet/host, or "down": nothing is there; or { sh, uname, pth => text }: hostile
#   inventory(fleet, { name => text for its line }) -> path
#   play(fleet, playbook, { variables that outrank all others }, arguments) -> as command(), with
#       host => { name => its line of the summary }; with FLEET_VERBOSE it prints all
#   stop(fleet): ends all of them

use strict;
use warnings;
use Exporter               qw(import);
use File::Temp             ();
use Test::More             ();
use SpawnMeter::Util::File qw(encode);
use TestHelp;

our @EXPORT = qw(enter start inventory play stop);

use constant NETWORK => '10.77.0';

sub enter {
    $ENV{PATH} .= ':/usr/sbin:/sbin';
    return if $ENV{FLEET_NETWORK};
    Test::More::plan(skip_all => 'namespaces and overlays need root and Linux')
        if $> != 0 || $^O ne 'linux';
    my @tools = qw(ansible-playbook sshd ssh ssh-keygen ip unshare);
    if (!needs(1, @tools)) { Test::More::done_testing(); exit }
    if (command({}, qw(unshare --net --mount --uts --pid --fork true))->{status} != 0) {
        Test::More::plan(skip_all => 'this machine does not allow namespaces');
    }
    $ENV{FLEET_NETWORK} = 1;
    exec tool('unshare'), '--net', $^X, '-Ilib', '-It/lib', $0 or die "unshare: $!\n";
}

sub run_or_die {
    my (@words) = @_;
    my $got = command({}, @words);
    die "@words: $got->{err}" if $got->{status} != 0;
    return $got->{out};
}

sub start {
    my ($kinds) = @_;
    my $folder = File::Temp->newdir('sm-fleet-XXXXXX', TMPDIR => 1);    # no blanks, for ssh
    run_or_die(qw(ip link set lo up));
    run_or_die(qw(ip link add fleet0 type bridge));
    run_or_die(qw(ip address add), NETWORK . '.1/24', qw(dev fleet0));
    run_or_die(qw(ip link set fleet0 up));
    run_or_die(qw(ssh-keygen -q -t ed25519 -N), q{}, '-f', "$folder/$_") for qw(key host_key);
    spew("$folder/authorized_keys", slurp_file("$folder/key.pub"));
    my %hosts;
    my $number = 10;

    for my $name (sort keys %{$kinds}) {
        $hosts{$name} = { address => NETWORK . q{.} . $number++ };
        my $kind = $kinds->{$name};
        if (ref $kind) {
            spew("$folder/$name.$_", $kind->{$_}) for keys %{$kind};
            $kind = 'hostile';
        }
        $hosts{$name}{pid} = start_host($folder, $name, $hosts{$name}{address}, $kind)
            if $kind ne 'down';
    }
    return { folder => $folder, hosts => \%hosts };
}

sub start_host {
    my ($folder, $name, $address, $kind) = @_;
    mkdir "$folder/$name" or die "$folder/$name: $!\n";
    my $pid = fork;
    if (!$pid) {
        open STDIN, '<', '/dev/null'          or die;
        open STDOUT, '>', "$folder/$name.log" or die;
        open STDERR, '>&', \*STDOUT           or die;
        exec tool('setpriv'),
            qw(--pdeathsig KILL unshare --net --mount --uts --pid --fork --kill-child sh),
            't/fleet/host', $name, $address, "$folder", $kind
            or die;
    }
    my $child;
    my $own = readlink '/proc/self/ns/net';
    wait_until(sub {
        ($child) = (slurp_file("/proc/$pid/task/$pid/children") || q{}) =~ /(\d+)/;
        return $child && (readlink("/proc/$child/ns/net") || $own) ne $own;
    }) or die "$name: it did not start\n";
    my ($ours) = $address =~ /(\d+)\z/;
    run_or_die(qw(ip link add), "v$ours", qw(type veth peer name eth0 netns), $child);
    run_or_die(qw(ip link set), "v$ours", qw(master fleet0 up));
    return $pid;
}

sub inventory {
    my ($fleet, $more) = @_;
    my $folder = $fleet->{folder};
    my $ssh = '-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5';
    my $text = q{};
    for my $name (sort keys %{ $fleet->{hosts} }) {
        my $own = $more->{$name} || q{};
        $text .= "$name ansible_host=$fleet->{hosts}{$name}{address} $own\n";
    }
    return spew("$folder/inventory", <<"TEXT");
$text
[all:vars]
ansible_user=root
ansible_ssh_private_key_file=$folder/key
ansible_python_interpreter=/usr/bin/python3
ansible_ssh_common_args='$ssh'
TEXT
}

sub play {
    my ($fleet, $playbook, $variables, @arguments) = @_;
    my %environment = (
        ANSIBLE_NOCOLOR              => 1,
        ANSIBLE_FORCE_COLOR          => undef,
        ANSIBLE_FORKS                => 12,
        ANSIBLE_SSH_CONTROL_PATH_DIR =>
            "$fleet->{folder}/connections",    # another check has such hosts
    );
    my $got = command(
        { env => \%environment },
        'ansible-playbook',
        '-i' => "$fleet->{folder}/inventory",
        "fleet/$playbook.yml",
        '-e' => encode($variables),
        @arguments
    );
    $got->{host} = { $got->{out} =~ /^ +"msg": "(\w+): (.*)"$/mg };
    Test::More::diag($got->{out}, $got->{err}) if $ENV{FLEET_VERBOSE};
    return $got;
}

sub stop {
    my ($fleet) = @_;
    for my $pid (grep { defined } map { $_->{pid} } values %{ $fleet->{hosts} }) {
        kill 'KILL', $pid;    # unshare ignores TERM; --kill-child ends the host
        waitpid $pid, 0;
    }
    return;
}

1;
