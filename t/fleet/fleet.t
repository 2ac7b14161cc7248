# SPDX-License-Identifier: GPL-2.0-or-later
# fleet/site.yml against hosts in network namespaces: what is fetched, what the summary says
# of hosts that fail, and what a second call does.
use lib 't/lib';
use TestHelp;
use FleetHosts;
use SpawnMeter::Util::File qw(encode);

enter();
my $fleet = start({
    web1   => 'good',
    web2   => -e (glob '/usr/lib/*/faketime/libfaketime.so.1')[0] ? 'clock' : 'good',
    killed => 'killed',
    lost   => 'lost',
    bare   => 'no-compiler',
    old    => 'old-perl',
    none   => 'no-perl',
    full   => 'full',
    down   => 'down',
});
END { local $?; stop($fleet) if $fleet }
my $folder = $fleet->{folder};
my $inventory = inventory($fleet, { map { $_ => 'hardware=rack' } qw(web1 web2) });
my %settings = (
    spawnmeter_options  => [qw(--max-time 2 -c 1 fork vfork)],
    spawnmeter_poll     => 2,
    spawnmeter_results  => "$folder/results",
    spawnmeter_group_by => 'hardware',
    spawnmeter_install  => \0,
);

# -> as command(), with { host => its line of the summary }
sub play {
    my ($more, @arguments) = @_;
    my $variables = encode({ %settings, %{$more} });
    my %environment = (
        ANSIBLE_NOCOLOR              => 1,
        ANSIBLE_FORCE_COLOR          => undef,
        ANSIBLE_SSH_CONTROL_PATH_DIR => "$folder/connections",    # another check has such hosts
    );
    my $got = command({ env => \%environment },
        'ansible-playbook', '-i', $inventory, 'fleet/site.yml', '-e', $variables, @arguments);
    $got->{host} = { $got->{out} =~ /^ +"msg": "(\w+): (.*)"$/mg };
    $got->{changed} = { $got->{out} =~ /^(\w+) +: ok=\d+ +changed=(\d+)/mg };
    diag $got->{out}, $got->{err} if $ENV{FLEET_VERBOSE};
    return $got;
}

sub stored { return glob "\Q$folder\E/results/$_[0]/*/*.{json,samples}" }

my $first = play({});
subtest 'nine hosts, of which four fail in some way' => sub {
    isnt($first->{status}, 0, 'the exit status is not 0');
    like($first->{host}{web1}, qr/^done; .*complete runs here: 1$/, 'a good host');
    like($first->{host}{web2}, qr/^done; its clock differs by 259\d+ s; /, 'a wrong clock')
        if $fleet->{hosts}{web2} && -e (glob '/usr/lib/*/faketime/libfaketime.so.1')[0];
    my %lacks = (bare => 'a compiler', old => 'perl 5.14 [(]it has 5.012005[)]', none => 'perl');
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
    like($first->{out}, qr/ +web2-/, 'the comparison of those that are done');
    my ($page) = $first->{out} =~ /"page: (.*)"/;
    like(slurp_file($page), qr/<h1.*\bnone-\d/s, 'the page: where it is');
};

subtest 'the results' => sub {
    my ($one, $two) = map { [ stored($_) ] } qw(web1 web2);
    is("@{[ scalar @{$one} ]} @{[ scalar @{$two} ]}", '1 1', 'one run of each');
    my $shown = command({}, './Run', 'show', $one->[0]);
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
my $second = play({}, '--limit', 'localhost,web1,web2,lost,killed');
subtest 'the second call' => sub {
    is($second->{status}, 0, 'the hosts that failed are done') or diag $second->{out};
    is("$second->{changed}{web1} $second->{changed}{web2}", '0 0', 'nothing changes on the others');
    my $out = $second->{out};
    my ($started) = $out =~ /^TASK .*Start\] .*\n((?:\S.*\n)+)/m;
    like($started, qr/skipping: \[lost\]/, 'a measurement that had started is fetched');
    like($started, qr/changed: \[killed\]/, 'the one that was killed is made again');
    is(scalar(() = stored('lost')), 1, 'and is here');
};

subtest 'hosts of one hardware are measured one after the other' => sub {
    my $third = play({ spawnmeter_round => 2 }, '--limit', 'localhost,web1,web2');
    is($third->{status}, 0, 'another round') or diag $third->{out};
    my @starts = $third->{out} =~ /^changed: \[(web[12])\]$/mg;
    my @turns = $third->{out} =~ /^TASK .*(Start)\] /mg;
    is(scalar @turns, 2, 'two turns');
    my ($wait) = $third->{out} =~ /TASK .*Start\].*?changed: \[(web\d)\].*?TASK .*Start\]/s;
    is($wait, 'web1', 'the second begins after the first');
    is(scalar(() = stored('web1')), 2, 'there are two runs of it now');
};

subtest 'check mode' => sub {
    plan skip_all => 'with LONG=1' if !$ENV{LONG};
    my $got = play({ spawnmeter_round => 3 }, '--check', '--limit', 'localhost,web1');
    is($got->{status}, 0, 'it works') or diag $got->{out};
    is(scalar(() = stored('web1')), 2, 'and measures nothing');
};

subtest 'bad input' => sub {
    my $unknown = play({ spawnmeter_optoins => [] });
    isnt($unknown->{status}, 0, 'a variable that does not exist');
    like($unknown->{out}, qr/unknown: spawnmeter_optoins; the role has /, 'and named');
    my $type = play({ spawnmeter_timeout => 'soon' }, '--limit', 'localhost,web1');
    isnt($type->{status}, 0, 'a value of another type');
    like($type->{out}, qr/spawnmeter_timeout/, 'and named');
    my $machine = play({ ansible_architecture => 'pdp11', spawnmeter_round => 2 },
        '--limit', 'localhost,bare');
    like(
        $machine->{host}{bare},
        qr/^failed; .*: it lacks a compiler, and no bundle for it can be made here: .*pdp11/,
        'no bundle can be made for a host'
    ) or diag $machine->{out};
    my $text = slurp_file($inventory);
    $text =~ s/^(web1 .*)\n/$1\ntwin ansible_host=$fleet->{hosts}{web1}{address}\n/m;
    spew($inventory, $text);
    my $twins = play({});
    isnt($twins->{status}, 0, 'two names of one machine');
    like($twins->{out}, qr/two hosts of the inventory have one address/, 'they are refused');
};
done_testing;
