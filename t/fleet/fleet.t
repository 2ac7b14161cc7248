# SPDX-License-Identifier: GPL-2.0-or-later
# fleet/site.yml against hosts in network namespaces: what is fetched, what the summary says
# of hosts that fail, and what a second call does.  LONG=1 (make check-long): more hosts and calls.
use lib 't/lib';
use TestHelp;
use FleetHosts;

enter();
my %lacks = (bare => 'a compiler');
%lacks = (%lacks, old => 'perl 5.14 [(]it has 5.012005[)]', none => 'perl') if $ENV{LONG};
my $fleet = start({
    web1   => 'good',
    killed => 'killed',
    lost   => 'lost',
    bare   => 'no-compiler',
    full   => 'full',
    down   => 'down',
    $ENV{LONG} ? (old => 'old-perl', none => 'no-perl') : ()
});
END { local $?; stop($fleet) if $fleet }
my $folder = $fleet->{folder};
my $inventory = inventory($fleet, { map { $_ => 'hardware=rack' } qw(killed web1) });
my %settings = (
    spawnmeter_options  => [qw(--max-time 2 -c 1 fork vfork)],
    spawnmeter_poll     => 2,
    spawnmeter_results  => "$folder/results",
    spawnmeter_group_by => 'hardware',
    spawnmeter_install  => \0,
);

sub site {
    my ($more, @arguments) = @_;
    return play($fleet, 'site', { %settings, %{$more} }, @arguments);
}

sub stored { return glob "\Q$folder\E/results/$_[0]/*/*.{json,samples}" }

# What Ansible says of each host where a measurement starts, for each turn
sub starts { return $_[0] =~ /^TASK .*Start\] .*\n((?:\S.*\n)+)/mg }

my $first = site({});
subtest 'hosts of which four fail in some way' => sub {
    isnt($first->{status}, 0, 'the exit status is not 0');
    like($first->{host}{web1}, qr/^done; .*complete runs here: 1$/, 'a good host');
    for my $host (sort keys %lacks) {
        my $by = "measured by the bundle, without ./Run doctor, since it lacks $lacks{$host}; ";
        like(
            $first->{host}{$host},
            qr/^done; $by.*complete runs here: 1$/,
            "it lacks $lacks{$host}"
        ) or diag $first->{out};
    }
    like($first->{host}{full}, qr/^failed; .*: only \d MB are free, 40 MB are/, 'no room');
    like($first->{host}{down}, qr/^unreachable; it cannot be reached/, 'a host that is down');
    like(
        $first->{host}{killed},
        qr/^failed; .*: it was killed while .*; complete runs here: 0, parts of runs: 1$/,
        'a measurement that was killed: what there is of it is here'
    ) or diag $first->{out};
    like($first->{host}{lost}, qr/^unreachable; .*the next call/, 'a network that failed');
    like($first->{out}, qr/"not done: down, full, killed, lost"/, 'the last message')
        or diag map { "$_: $first->{host}{$_}\n" } sort keys %{ $first->{host} };
    like($first->{out}, qr/ +web1-/, 'the comparison of those that are done');
    my ($page) = $first->{out} =~ /"page: (.*)"/;
    like(slurp_file($page), qr/<h1.*\bbare-\d/s, 'the page: where it is');
    my @turns = map { join q{ }, /^changed: \[(killed|web1)\]/mg } starts($first->{out});
    is_deeply(\@turns, [qw(killed web1)], 'hosts of one hardware measure one after the other');
};

subtest 'the results' => sub {
    my ($run) = stored('web1');
    my $shown = command({}, './Run', 'show', $run);
    like($shown->{out}, qr/^Fork Throughput +[\d.]+ lps/m, 'show reads it');
    my ($samples) = stored('bare');
    my $portable = command({}, './Run', 'show', $samples);
    like($portable->{out}, qr/^Fork Throughput +[\d.]+ lps .* 8 samples/m, "the bundle's, too");
    my ($part) = glob "\Q$folder\E/results/killed/*/*.part";
    is(command({}, './Run', 'show', $part)->{status}, 0, 'show reads the part');
    my @ssh = (
        'ssh', '-i', "$folder/key", qw(-o StrictHostKeyChecking=no -o LogLevel=ERROR),
        '-o',
        'UserKnownHostsFile=/dev/null',
        "root\@$fleet->{hosts}{web1}{address}"
    );
    my $left = command({}, @ssh, 'ls -A');
    unlike($left->{out}, qr/spawnmeter/, 'nothing is left on the host') or diag $left->{err};
};

spew("$folder/lost.back", q{});
my $second = site({}, '--limit', 'localhost,web1,lost,killed');
subtest 'the second call' => sub {
    my $out = $second->{out};
    is($second->{status}, 0, 'the hosts that failed are done') or diag $out;
    like($out, qr/^web1 +: ok=\d+ +changed=0 /m, 'nothing changes on the others');
    my ($started) = starts($out);
    like($started, qr/skipping: \[lost\]/, 'a measurement that had started is fetched');
    like($started, qr/changed: \[killed\]/, 'the one that was killed is made again');
    is(scalar(() = stored('lost')), 1, 'and is here');
    like($second->{host}{killed}, qr/^done; its clock differs by 259\d+ s; /, 'a wrong clock')
        if -e (glob '/usr/lib/*/faketime/libfaketime.so.1')[0];
};

subtest 'another round, check mode, a value of another type' => sub {
    plan skip_all => 'with LONG=1' if !$ENV{LONG};
    my @one = ('--limit', 'localhost,web1');
    my $third = site({ spawnmeter_round => 2 }, @one);
    is($third->{status}, 0, 'another round') or diag $third->{out};
    is(scalar(() = stored('web1')), 2, 'there are two runs now');
    my $got = site({ spawnmeter_round => 3 }, '--check', @one);
    is($got->{status}, 0, 'check mode works') or diag $got->{out};
    is(scalar(() = stored('web1')), 2, 'and measures nothing');
    my $type = site({ spawnmeter_timeout => 'soon' }, @one);
    isnt($type->{status}, 0, 'a value of another type');
    like($type->{out}, qr/spawnmeter_timeout/, 'is named');
};

subtest 'bad input' => sub {
    my $unknown = site({ spawnmeter_optoins => [] });
    isnt($unknown->{status}, 0, 'a variable that does not exist');
    like($unknown->{out}, qr/unknown: spawnmeter_optoins; the role has /, 'and named');
    my $text = site({ spawnmeter_options => '-c 1' });
    like($text->{out}, qr/spawnmeter_options is a list, like/, 'a text in place of a list');
    my $twin = slurp_file($inventory);
    $twin =~ s/^(web1 .*)\n/$1\ntwin ansible_host=$fleet->{hosts}{web1}{address}\n/m;
    spew($inventory, $twin);
    my $twins = site({});
    isnt($twins->{status}, 0, 'two names of one machine');
    like($twins->{out}, qr/two hosts of the inventory have one address/, 'they are refused');
};
done_testing;
