# SPDX-License-Identifier: GPL-2.0-or-later
# Two runs of a machine whose speed moves: what results and comparison make of it.
use strict;
use warnings;
use lib 'bench';
use Test::More;
use LoopRecording                       qw(recorded_pass);
use SpawnMeter::Analysis::Comparison    qw(reduce compare);
use SpawnMeter::Analysis::SameReference qw(for_reference);
use SpawnMeter::Analysis::Results       qw(results);

# speed: of the machine; factor: of the tests alone
sub run_at {
    my ($speed, $factor, %system) = @_;
    my @passes;
    for my $i (1 .. 30) {
        my $now = $speed * (1 + 0.1 * sin 2 * $i);
        for my $test (qw(fork vfork pipe)) {
            my $rate = 9000 * $factor * $now * (1 + ($i * 7 % 5 - 2) / 300);
            my @references = map { {
                sparse_faults => 3e5 * $now,
                page_faults   => 5e5 * $now,
                arithmetic    => 6e8,
            } } 1, 2;
            push @passes, recorded_pass($test, 3 * $i, $rate, \@references);
        }
    }
    return {
        host     => delete $system{host} || 'here',
        protocol => { name      => 'quick', pin        => delete $system{pin} || 0 },
        system   => { cpu_model => 'A', kernel_release => '6.1', hypervisor => 'none', %system },
        build    => ['cc'],
        tests    => [],
        passes   => \@passes,
    };
}

sub compared {
    my (@runs) = @_;
    my @machines = map { scalar reduce($_, 'run') } @runs;
    return compare(@machines, { usual => 0.05 });
}

subtest 'a result at one level' => sub {
    my %of = map { $_->{test} => $_ } @{ results(run_at(1, 1)) };
    my $fork = $of{fork};
    cmp_ok($fork->{steadied}{plus_minus}, '<', $fork->{plus_minus} / 3, 'a narrower interval');
    cmp_ok(abs($fork->{steadied}{rate} / $fork->{rate} - 1), '<', 0.03, 'about the same rate');
    is($of{pipe}{steadied}, undef, 'not of a test that creates no process');
};

subtest 'the machine alone became slower' => sub {
    my $pair = compared(run_at(1, 1), run_at(0.5, 1));
    my %row = map { $_->{test} => $_ } @{ $pair->{rows} };
    cmp_ok(abs($row{fork}{ratio} - 0.5), '<', 0.001, 'the raw difference stays');
    cmp_ok(abs($row{fork}{steadied}{ratio} - 1), '<', 0.01, 'the steadied one is none');
    is($row{fork}{verdict}, 'no difference shown', 'the verdict is by it');
    is($row{pipe}{verdict}, 'slower', 'of another test by the raw one');
    is($pair->{reference}{loops}{1}, 'faults', 'by page faults of both kinds');
    is($pair->{reference}{words}, 'page faults of both kinds', 'which have a name');
    cmp_ok(abs($pair->{reference}{levels}{1} - 0.5), '<', 0.001, 'which differ by as much');
};

subtest 'the tests alone became slower' => sub {
    my %row = map { $_->{test} => $_ } @{ compared(run_at(1, 1), run_at(1, 0.9))->{rows} };
    cmp_ok(abs($row{fork}{steadied}{ratio} - 0.9), '<', 0.001, 'the same difference');
    is($row{fork}{verdict}, 'slower', 'and it is shown');
};

# Another process took the memory: of the loops only sparse page faults became slower, to this
# share, and the tests did so with a power
sub contended {
    my ($share, $power) = @_;
    my $run = run_at(1, $share**$power);
    $_->{sparse_faults} *= $share for map { @{ $_->{results}[0]{references} } } @{ $run->{passes} };
    return $run;
}

subtest 'the memory alone became slower' => sub {
    my $pair = compared(run_at(1, 1), contended(0.8, 0.5));
    my %row = map { $_->{test} => $_ } @{ $pair->{rows} };
    my $of = $row{fork}{steadied};
    cmp_ok(abs($of->{ratio} - 1), '<', 0.01, 'tests that follow by half: no difference');
    cmp_ok(abs($of->{error} / (0.25 * log 0.8) + 1), '<', 0.3, 'half is not certain');
    cmp_ok(abs($pair->{reference}{levels}{1} - sqrt 0.8), '<', 0.01, 'half of it is their level');
    for my $power (0.2, 0.8) {
        my ($row) = grep { $_->{test} eq 'fork' }
            @{ compared(run_at(1, 1), contended(0.8, $power))->{rows} };
        is($row->{verdict}, 'no difference shown', "tests that follow with a power of $power");
    }
    my $gap = contended(0.8, 0.5);
    delete $gap->{passes}[4]{results}[0]{references}[0]{sparse_faults};
    delete $gap->{passes}[7]{results}[0]{references}[1]{sparse_faults};
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    my $of_gap = compared(run_at(1, 1), $gap);
    is($of_gap->{reference}{loops}{1}, 'faults', 'two passes without one reading change nothing');
    is($of_gap->{rows}[0]{verdict}, 'no difference shown', 'of the verdicts');
    is_deeply(\@warnings, [], 'without a warning');
    my ($slower) =
        grep { $_->{test} eq 'fork' } @{ compared(run_at(1, 1), contended(0.95, 3))->{rows} };
    is($slower->{verdict}, 'slower', 'but not those that lose much more than the loop');
};

# Noise of fork that is independent from pass to pass, and other tests whose noise is an AR(1)
# process with this correlation
sub beside {
    my ($correlation) = @_;
    my $run = run_at(1, 1);
    my (@passes, %state);
    for my $pass (grep { $_->{test} eq 'fork' } @{ $run->{passes} }) {
        my $number = 0;
        for my $test (qw(clone forkexec fork posix_spawn vfork)) {
            my $r = $test eq 'fork' ? 0 : $correlation;
            my $new = sin(1e4 * sin(++$number + 13 * $pass->{at}));
            $state{$test} = $r * ($state{$test} || 0) + sqrt(1 - $r**2) * $new;
            my $level = $pass->{results}[0]{references}[0]{sparse_faults};
            push @passes, { %{$pass}, test => $test, rate => $level * (1 + $state{$test} / 30) };
        }
    }
    return { %{$run}, passes => \@passes };
}

sub error_of_fork {
    my ($run) = @_;
    my ($row) = grep { $_->{test} eq 'fork' } @{ compared($run, $run)->{rows} };
    return $row->{steadied}{error};
}

subtest 'what other tests of the run say of its passes' => sub {
    my ($drift, $none) = map { error_of_fork(beside($_)) } 0.7, 0;
    cmp_ok($drift, '>', 1.1 * $none, 'theirs depend on each other: so, it is taken, do these');
};

# The loop of sparse page faults runs beside so many passes of each test only
sub sparse_beside {
    my ($run, $passes) = @_;
    my %count;
    for my $pass (grep { ++$count{ $_->{test} } > $passes } @{ $run->{passes} }) {
        delete $_->{sparse_faults} for @{ $pass->{results}[0]{references} };
    }
    return $run;
}

subtest 'loops that did not run beside each pass' => sub {
    my %loop = (0 => 'page_faults', 5 => 'page_faults', 20 => 'faults');
    for my $count (sort keys %loop) {
        my $pair = compared(run_at(1, 1), sparse_beside(run_at(0.5, 1), $count));
        is($pair->{reference}{loops}{1}, $loop{$count},
            "beside $count of 30 passes: $loop{$count}");
        is($pair->{rows}[0]{verdict}, 'no difference shown', 'which serves as well');
        my %of = map { $_->{test} => $_ } @{ results(sparse_beside(run_at(1, 1), $count)) };
        my $fork = $of{fork};
        cmp_ok($fork->{steadied}{plus_minus}, '<', $fork->{plus_minus} / 3, 'and for one run');
    }
    my ($old, $new) = map { run_at($_, 1) } 1, 0.5;
    for my $run ($old, $new) {
        delete @{$_}{qw(sparse_faults page_faults)}
            for map { @{ $_->{results}[0]{references} } } @{ $run->{passes} };
    }
    is(compared($old, $new)->{reference}{why}, 'too few passes with them', 'neither: none');
    is((grep { $_->{steadied} } @{ results($old) }), 0, 'and no result is steadied');
};

# Two copies, too, whose passes have no pauses
sub with_pauses {
    my ($run) = @_;
    my @one = map {
        { %{$_}, results => [ { %{ $_->{results}[0] }, within => $_->{results}[0]{references} } ] }
    } @{ $run->{passes} };
    my @two =
        map { { %{$_}, copies => 2, results => [ ($_->{results}[0]) x 2 ] } } @{ $run->{passes} };
    return { %{$run}, passes => [ @one, @two ] };
}

subtest 'pauses within the passes of one copy' => sub {
    my $pair = compared(map { with_pauses($_) } run_at(1, 1), run_at(0.5, 1));
    is_deeply($pair->{reference}{loops}, { 1 => 'within', 2 => 'faults' }, 'each by its own loops');
    is($pair->{reference}{words}, 'page faults of both kinds', 'which have one name');
    my @forks = grep { $_->{test} eq 'fork' } @{ $pair->{rows} };
    is("@{[ map { $_->{verdict} } @forks ]}", join(q{ }, ('no difference shown') x 2), 'all rows');
    my $without = compared(with_pauses(run_at(1, 1)), run_at(0.5, 1));
    is_deeply($without->{reference}{loops}, { 1 => 'faults' }, 'a run without pauses: the others');
};

# Only fork has pauses, in which page faults are so many times as fast as around the passes
sub some_with_pauses {
    my ($run, $factor) = @_;
    my %name = (pipe => 'execl');
    my @passes;
    for my $pass (@{ $run->{passes} }) {
        my ($result) = @{ $pass->{results} };
        my %faults =
            map { $_ => $factor * $result->{references}[0]{$_} } qw(sparse_faults page_faults);
        my %paused = $pass->{test} eq 'fork' ? (within => [ {%faults}, {%faults} ]) : ();
        push @passes,
            {
            %{$pass},
            test    => $name{ $pass->{test} } || $pass->{test},
            results => [ { %{$result}, %paused } ]
            };
    }
    return { %{$run}, passes => \@passes };
}

subtest 'a test without pauses beside others' => sub {
    my ($old, $new) = (some_with_pauses(run_at(1, 1), 1), some_with_pauses(run_at(0.5, 1), 1.2));
    my $pair = compared($old, $new);
    my %loop = map { $_->{test} => $_->{steadied}{loop} } @{ $pair->{rows} };
    is_deeply(\%loop, { execl => 'faults', fork => 'within', vfork => 'faults' },
        'each by its own');
    is($pair->{reference}{loops}{1}, 'faults', 'the report names that of most tests');
    cmp_ok(abs($pair->{reference}{levels}{1} - 0.5), '<', 0.01, 'and its level');
};

subtest 'which loops can be compared' => sub {
    my $old = run_at(1, 1);
    is(compared($old, run_at(1, 1, kernel_release => '6.6'))->{reference}{loops}{1},
        'arithmetic', 'another kernel: loops in user mode');
    my @builds = ([ 'cc 12', 'musl 1.2' ], [ 'cc 12', 'glibc 2.36' ], [ 'cc 13', 'glibc 2.36' ]);
    my ($musl, $glibc, $compiler) = map { { %{ run_at(1, 1) }, build => $_ } } @builds;
    my $libcs = compared($musl, $glibc)->{reference};
    is_deeply(
        [ @{$libcs}{qw(loops changed)} ],
        [ { 1 => 'arithmetic' }, ['libc'] ],
        'likewise another libc'
    );
    is(
        compared($glibc, $compiler)->{reference}{why},
        'compiler or its options differ',
        'another compiler makes other loops: none'
    );
    my %never = (
        'different machines' => [ { host => 'there' }, { cpu_model => 'B' } ],
        'pinning differs'    => [ { pin => 1 } ],
    );

    for my $why (sort keys %never) {
        for my $change (@{ $never{$why} }) {
            my $pair = compared($old, run_at(0.8, 1, %{$change}));
            is($pair->{reference}{why}, $why, "@{[ %{$change} ]}: $why");
            is((grep { $_->{steadied} } @{ $pair->{rows} }), 0, 'nothing is steadied');
        }
    }
    my @nameless = map { { run => { host => undef, protocol => {}, system => {} } } } 1, 2;
    is(for_reference(@nameless)->{never}, 'machine unknown', 'no host name: not known');
    my @posted = (
        $nameless[0],
        { run => { kind => 'imported', protocol => { name => 'quick' }, system => {} } }
    );
    is(for_reference(@posted)->{never}, 'a posted report has none', 'a posted report: it says so');
    my $without = run_at(1, 1);
    delete @{$_}{'results'} for @{ $without->{passes} };
    is(compared($without, $without)->{reference}, undef, 'runs without loops: nothing is said');
    is(compared($old, $without)->{reference}{why}, 'too few passes with them', 'one without');
};

done_testing;
