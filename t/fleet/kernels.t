# SPDX-License-Identifier: GPL-2.0-or-later
# fleet/kernels.yml against hosts whose boot loader, reboot and kernels are stand-ins: the order,
# what is measured of a host that does not come back or boots another kernel, and a second call.
use lib 't/lib';
use TestHelp;
use FleetHosts;
use SpawnMeter::Store::RunFile qw(load);

plan skip_all => "with LONG=1: boots and what is lost on the way; fleet.t has the roles"
    if !$ENV{LONG};
enter();
my @nodes = ('node1', $ENV{LONG} ? 'node2' : ());
my $fleet = start({ lost => 'no-return', wrong => 'wrong-kernel', map { $_ => 'kernels' } @nodes });
END { local $?; stop($fleet) if $fleet }
my $folder = $fleet->{folder};
inventory($fleet, { lost => 'spawnmeter_reboot_timeout=40' });
my @order = $ENV{LONG} ? qw(A B B A B A A B) : qw(A B);
my %release = (a => '6.12.0', b => '6.12.1');
my %settings = (
    spawnmeter_options => [qw(--max-time 0.5 -c 1 fork vfork)],
    spawnmeter_poll    => 2,
    spawnmeter_results => "$folder/results",
    spawnmeter_install => \0,
    spawnmeter_order   => \@order,
    map { (
        "spawnmeter_boot_$_"  => "grub-reboot $release{$_}",
        "spawnmeter_check_$_" => "uname -r | grep -qx $release{$_}",
        "spawnmeter_label_$_" => $release{$_}
    ) } keys %release
);

sub kernels {
    my ($more, @arguments) = @_;
    local $ENV{ANSIBLE_PIPELINING} = 1;    # fewer connections
    return play($fleet, 'kernels', { %settings, %{$more} }, @arguments);
}

# The labels of a host's runs, in the order of their times
sub labels {
    my @files = glob "\Q$folder\E/results/$_[0]/*/*.json";
    my @runs = sort { $a->{started} <=> $b->{started} } map { load($_) } @files;
    return join q{ }, map { $_->{label} } @runs;
}

sub compared { return $_[0]{out} =~ /^ok: \[localhost\] => \(item=(.*, pairs: \d+)\)$/mg }

my $planned = join q{ }, map { $release{ lc $_ } } @order;
my $pairs = @order / 2;
my $steps = @order;
my $first = kernels({});
subtest 'the first call' => sub {
    isnt($first->{status}, 0, 'the exit status is not 0');
    for my $host (@nodes) {
        is(labels($host), $planned, "$host has measured both kernels in turn");
        like($first->{host}{$host}, qr/^done; .*complete runs here: $steps$/, 'and is done');
    }
    like($first->{out}, qr/RETRYING: \[node1\]: Wait until the load/, 'when the load was low');
    my %failed = (
        lost  => qr/Reboot: .*; complete runs here: 1$/,
        wrong => qr/It .*: it runs 6.12.0, and spawnmeter_check_b ends with/
    );
    for my $host (sort keys %failed) {
        is(labels($host), $release{a}, "$host: what was measured before is here, and no more");
        like($first->{host}{$host}, qr/^failed; step 2 of $steps, B: $failed{$host}/, 'and why');
    }
    my @compared = ('all hosts, pairs: ' . @nodes * $pairs, map { "$_, pairs: $pairs" } @nodes);
    is_deeply([ compared($first) ], \@compared, 'what is compared');
    unlike($first->{out}, qr/--paired: each side|cannot read|unknown/, 'it can be');
    }
    or diag $first->{out},
    $first->{err};

spew("$folder/$_.back", q{}) for qw(lost wrong);
my $second = kernels({ spawnmeter_reboot_timeout => 300 });
subtest 'the second call' => sub {
    is($second->{status}, 0, 'the hosts that failed are done');
    is(labels($_), $planned, "$_: has gone on at its second step") for qw(lost wrong);
    my ($rebooted) = $second->{out} =~ /^(TASK .*Reboot\].*?)^PLAY /ms;
    unlike($rebooted, qr/^changed: \[node\d\]/m, 'the others are not rebooted');
    my $all = 'all hosts, pairs: ' . (@nodes + 2) * $pairs;
    is((compared($second))[0], $all, 'all hosts are compared');
    }
    or diag $second->{out},
    $second->{err};

my $unnamed =
    kernels({ spawnmeter_check_b => q{}, spawnmeter_round => 2 }, '--limit', 'localhost,node1');
like(
    $unnamed->{host}{node1},
    qr/^failed; .*: spawnmeter_check_b: not set/,
    'a state that cannot be checked is not booted'
) or diag $unnamed->{out};
done_testing;
