# SPDX-License-Identifier: GPL-2.0-or-later
# The differences and verdicts of ab, from passes whose truth is known.
use lib 't/lib';
use TestHelp;
use SidePass;
use SpawnMeter::Analysis::Pairs qw(summary_of_ab pairs_of);
use SpawnMeter::Report::Paired  ();

srand 7;
sub normal { return sqrt(-2 * log(1 - rand)) * cos(6.28318530717959 * rand) }

# 40 rounds of passes whose level drifts by a factor of 2 from the first to the last; B is so
# many times as fast, and both have their own noise
sub passes {
    my ($test, $factor, %with) = @_;
    my @passes;
    for my $round (1 .. $with{rounds} || 40) {
        for my $side (qw(A B)) {
            my $rate =
                1000 * 2**($round / 40) *
                ($side eq 'B' ? $factor : 1) *
                exp(($with{noise} || 0.01) * normal());
            push @passes, side_pass($test, $round, $side, $rate);
        }
    }
    return @passes;
}

sub run_of {
    my (@passes) = @_;
    my %test = map { $_->{test} => 1 } @passes;
    return {
        sides    => [ { name => 'A' }, { name => 'B' } ],
        settings => { name => 'settle', precision => 0.01 },
        tests    => [ map { { name => $_, title => ucfirst } } sort keys %test ],
        blocks   => [ { copies => 1 } ],
        passes   => \@passes,
    };
}

subtest 'pairs' => sub {
    my @passes = passes('fork', 0.9, noise => 1e-6);
    my ($x, $y) = map { [ only($_, @passes) ] } qw(A B);
    my $pairs = pairs_of($x, $y);
    is(scalar @{$pairs}, 40, 'one for each round');
    is(sprintf('%.3f', $pairs->[0]{rate}), '0.900', 'the rate of B as a share of that of A');
    my @without = @{$y}[ 0 .. 9, 11 .. 39 ];
    is(scalar @{ pairs_of($x, \@without) }, 39, 'a pass without its partner does not count');
    my $again = { %{ $y->[10] }, rate => $x->[10]{rate} };
    is(pairs_of($x, [ @{$y}, $again ])->[10]{rate}, 1, 'of a pass made again the last one counts');
    my ($stolen, $same, $in_turns) = map {
        my $turns = $_;
        [ map { { %{$_}, machine => { steal => 0.3 }, turns => $turns } } @{$x} ]
    } 0, 0, 1;
    is((grep { $_->{flags} } @{ pairs_of($stolen, $same) }), 40, 'what disturbs the machine flags');
    is((grep { $_->{flags} } @{ pairs_of(($in_turns) x 2) }), 0, 'not where the two take turns');
    my @stalled = map { { %{$_}, machine => { stall => 1 } } } @{$in_turns};
    is((grep { $_->{flags} } @{ pairs_of($in_turns, \@stalled) }), 40, 'but a stall of one does');
};

# All passes of B were disturbed, and 20 of A's, which were half as fast
subtest 'rates of the sides are of the pairs that count' => sub {
    my @passes;
    for my $round (1 .. 41) {
        my $disturbed = $round > 21;
        push @passes, side_pass('fork', $round, 'A', $disturbed ? 500 : 1000),
            side_pass('fork', $round, 'B', 500);
        $_->{machine}{steal} = 0.5 for $passes[-1], $disturbed ? $passes[-2] : ();
    }
    my $run = run_of(@passes);
    my $found = summary_of_ab($run);
    my ($row) = @{ $found->{rows} };
    is($row->{used}, 41, 'all count where too few pairs are without');
    cmp_ok($row->{a}, '>', 500, 'A: the center of all, as well');
    cmp_ok(abs($row->{b} / $row->{a} - $row->{ratio}), '<', 1e-9,
        'B is apart from it by the ratio');
    is($row->{flagged}, 41, 'each pair is disturbed');
    my $text = SpawnMeter::Report::Paired::text($found, { %{$run}, complete => 1 });
    like(
        $text,
        qr/^! DISTURBED: over a fifth of the pairs of 1 of 1 result were\s+disturbed$/m,
        'as the report says'
    );
    is($row->{verdict}, 'busy', 'no verdict, as compare has none');
};

subtest 'a busy machine' => sub {
    my @passes = passes('fork', 0.8);
    $_->{machine}{busy_elsewhere} = 2 for @passes;
    my $run = { %{ run_of(@passes) }, system => { cpus_online => 2 }, complete => 1 };
    my $found = summary_of_ab($run);
    is($found->{rows}[0]{verdict}, 'busy', 'no verdict, as compare has none');
    my $text = SpawnMeter::Report::Paired::text($found, $run);
    like($text, qr/^! BUSY: .*: no verdict on\s+1 of 1 result$/ms, 'which the report says');
    unlike($text, qr/Finer/, 'and no time that more pairs take');
    like($text, qr/^No verdict on busy results: end the other work/m, 'but what to do');
};

subtest 'what is open' => sub {
    my $text_of = sub {
        my ($noise, %with) = @_;
        my $run = { %{ run_of(passes('fork', 1, noise => $noise)) }, complete => 1, %with };
        return SpawnMeter::Report::Paired::text(summary_of_ab($run), $run);
    };
    my $noisy = $text_of->(5);
    unlike($noisy, qr/--max-time/, 'no time where that would be hours');
    like($noisy, qr/^  turns  +--turns 0[.]02 --pin  /m, 'but turns');
    unlike($text_of->(5, sides => [ { name => 'A', set => 'x' }, { name => 'B' } ]),
        qr/--turns/, 'which commands cannot take');
    my $run = { %{ run_of(passes('fork', 0.5)) }, complete => 1 };
    my $narrow = SpawnMeter::Report::Paired::text(summary_of_ab($run), $run, columns => 40);
    is((grep { length > 40 } split /\n/, $narrow), 0, 'on 40 columns no line is longer');
};

subtest 'whole and short images' => sub {
    my @passes = passes('execl', 0.5);
    $_->{results} = [ { images => $_->{side} eq 'A' ? 'short' : 'whole' } ] for @passes;
    is(summary_of_ab(run_of(@passes))->{rows}[0]{verdict}, 'unclear', 'are not compared');
};
is(SpawnMeter::Report::Paired::side({ set => "\xc3\xa9" }), "after: \xe9", 'its letters');

# Those of one side
sub only {
    my ($side, @passes) = @_;
    return grep { $_->{side} eq $side } @passes;
}

subtest 'too wide, too few, not measured' => sub {
    my $skipped = sub {
        my ($test, $side) = @_;
        my %reason = (status => 'skipped', reason => 'none here', wall => 0);
        return { test => $test, copies => 1, side => $side, %reason };
    };
    my $found = summary_of_ab(run_of(
        passes('fork', 1, noise   => 0.2),
        passes('vfork', 1, rounds => 5),
        (map { $skipped->('thread', $_) } qw(A B)),
        $skipped->('spawn', 'B'),
        only('A', passes('spawn', 1, rounds => 1)),
        $skipped->('looper', 'A'),
        map { { %{$_}, unit => 'lpm' } } only('B', passes('looper', 1, rounds => 9))
    ));
    my %row = map { $_->{test} => $_ } @{ $found->{rows} };
    is($row{fork}{verdict}, 'unclear', 'a wide interval');
    is($row{fork}{why}, 'the interval is too wide', 'and why');
    is($row{vfork}{why}, 'pairs: 5, at least 6 are needed', 'five pairs');
    is($row{thread}{verdict}, 'not measured', 'skipped on both sides');
    is($row{spawn}{verdict}, 'unclear', 'skipped on one side');
    is($row{spawn}{why}, 'side B: skipped: none here', 'which, and why');
    my $run = run_of(passes('fork', 1));
    delete $run->{settings}{precision};
    is(summary_of_ab($run)->{rows}[0]{reached}, undef, 'a run file without a precision');
};

done_testing;
