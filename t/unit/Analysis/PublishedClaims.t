# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Published::Claims qw(judged figure_of);
use SpawnMeter::Analysis::Published::Needs  qw(unmet);
use SpawnMeter::Analysis::Published::Sides  qw(sides times_us);
use SpawnMeter::Analysis::TwoSamples        qw(ratio);
use SpawnMeter::Catalog::Published::Claim   qw(condition);

my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

# Nine passes of a point; each differs from the median by up to 4 times the spread, in an order
# of its own
my %ORDER = (
    a => [ 0, 3, -2, 4, -1, -4, 2, -3, 1 ],
    b => [ 2, -4, 1, -1, 4, -3, 0, 3, -2 ],
    c => [ 1, -1, -3, 3, 0, -4, 4, -2, 2 ],
);

sub passes {
    my ($label, $us, $spread) = @_;
    return map { {
        test    => 'fork',
        value   => $label,
        copies  => 1,
        status  => 'ok',
        rate    => 1e6 / ($us * (1 + $spread * $_)),
        results => [ {
            count    => 100,
            creating => 100 * $us / 2e6,
            cpu      => [ 0, 1e-3, 0, 1e-3 ],
            fault    => [ 10, 2000 * $us, 1 ]
        } ],
    } } @{ $ORDER{$label} };
}

# The verdict of one condition, with points of these times
sub verdict_of {
    my ($condition, $spread, %us) = @_;
    my %experiment = (
        needs    => [],
        machines => [ { name => 'm' } ],
        figures  => [],
        claims   => [ { words => 'c', needs => [], conditions => [ condition($condition) ] } ],
    );
    my %run = (passes => [ map { passes($_, $us{$_}, $spread) } sort keys %us ]);
    return judged(\%experiment, \%run, {}, sub { return })->[0];
}

subtest 'verdicts follow from the interval' => sub {
    my $twice = 'time(fork, b) / time(fork, a) > 2 by 0 %';
    is(verdict_of($twice, 0.001, a => 100, b => 300)->{verdict}, 'reproduced', 'above');
    is(verdict_of($twice, 0.001, a => 100, b => 150)->{verdict}, 'not reproduced', 'below');
    is(verdict_of($twice, 0.05, a  => 100, b => 201)->{verdict}, 'inconclusive', 'both allowed');
    my $same = 'time(fork, b) within 10 % of time(fork, a)';
    is(verdict_of($same, 0.001, a => 100, b => 105)->{verdict}, 'reproduced', 'within');
    is(verdict_of($same, 0.001, a => 100, b => 115)->{verdict}, 'not reproduced', 'above it');
    is(verdict_of($same, 0.001, a => 100, b => 85)->{verdict}, 'not reproduced', 'below it');
    is(verdict_of($same, 0.001, a => 100, b => 110)->{verdict}, 'inconclusive', 'at its end');
    is(verdict_of($same, 0.08, a  => 100, b => 100)->{verdict}, 'inconclusive', 'too wide');
    my $linear = 'time(fork, c) - time(fork, b) within 20 % of 2 * (time(fork, b) - time(fork, a))';
    is(verdict_of($linear, 0.001, a => 100, b => 300, c => 700)->{verdict},
        'reproduced', 'of differences');
    is(
        verdict_of($linear, 0.001, a => 100, b => 300, c => 900)->{verdict},
        'not reproduced',
        'of differences that differ'
    );
    is(verdict_of($linear, 0.05, a => 100, b => 101, c => 102)->{verdict},
        'inconclusive', 'of differences that may be nothing');
};

# The claim that b takes longer than a, of these passes
sub longer {
    my (@passes) = @_;
    my %experiment = (needs => [], machines => [ { name => 'm' } ], figures => []);
    my $condition = condition('time(fork, b) > time(fork, a) by 0 %');
    $experiment{claims} = [ { words => 'c', needs => [], conditions => [$condition] } ];
    return judged(\%experiment, { passes => \@passes }, {}, sub { return })->[0];
}

sub drifting {
    my (@passes) = @_;
    $passes[$_]{rate} *= 1.03**$_ for 0 .. $#passes;
    return @passes;
}

subtest 'points that drift together' => sub {
    my @both = map { drifting(passes(@{$_}, 0.002)) } [ a => 100 ], [ b => 103 ];
    my $paired = longer(@both);
    is($paired->{verdict}, 'reproduced', 'by their differences in each round');
    cmp_ok($paired->{deciding}{here}{low}, '<', 1.03, 'the interval holds the truth, from below');
    cmp_ok($paired->{deciding}{here}{high}, '>', 1.03, 'and from above');
    cmp_ok($paired->{deciding}{here}{high} - $paired->{deciding}{here}{low},
        '<', 0.03, 'and is narrow');
    my $apart = longer(@both[ 0 .. 16 ]);
    is($apart->{verdict}, 'inconclusive', 'where a round is missing they count as independent');
};

subtest 'figures' => sub {
    my @passes = (passes('a', 100, 0.01), passes('b', 200, 0.01));
    pop @passes;
    my $here = longer(@passes)->{deciding}{here};
    my @times = map {
        my $label = $_;
        { values => [ map { 1e6 / $_->{rate} } grep { $_->{value} eq $label } @passes ] }
    } qw(a b);
    my $ratio = ratio(@times);
    is(
        sprintf('%.6f %.6f %.6f', @{$here}{qw(value low high)}),
        sprintf('%.6f %.6f %.6f', @{$ratio}{qw(ratio low high)}),
        'a ratio of two points with other rounds has the interval of compare'
    );
    my $time = verdict_of('creating(fork, a) < 1 ms by 0 %', 0, a => 100)->{deciding};
    is(sprintf('%.3f', $time->{here}{value}), '50.000', 'creating: us of one creation');
    my $write = verdict_of('fault(fork, a) < 1 ms by 0 %', 0, a => 100)->{deciding};
    is(sprintf('%.3f', $write->{here}{value}), '200.000', 'fault: us of a write in the parent');
    is($time->{time}, 1, 'beside a constant the left side is the figure');
    is(
        sprintf(
            '%.0f', verdict_of('cpu(fork, a) < 1 s by 0 %', 0, a => 1)->{deciding}{here}{value}
        ),
        20,
        'cpu: of parent and child'
    );
};

subtest 'numbers of copies that the machine has' => sub {
    my %measure = (tests => ['fork'], values => ['POWERS=@copies=POWERS']);
    my %part = (name => 'copies', title => 't', axis => 'copies', measures => [ \%measure ]);
    my %experiment = (parts => [ \%part ], machines => [], figures => []);
    my %points = (fork => { map { ("copies $_" => { status => 'ok' }) } qw(16 2 1 x) });
    is_deeply(
        [ map { $_->{label} } @{ sides(\%experiment, undef, \%points)->[0]{rows} } ],
        [ 1, 2, 16 ],
        'in their order'
    );
};

subtest 'what cannot be judged' => sub {
    my $lost = verdict_of('time(fork, x) > time(fork, a) by 0 %', 0.01, a => 100);
    is($lost->{verdict}, 'not possible here', 'a point that was not measured');
    is($lost->{why}, 'fork, x was not measured', 'with the reason');
    my %experiment = (
        needs    => [ { kind => 'cpus', amount => 64 } ],
        machines => [],
        figures  => [],
        claims   => [
            { words => 'c', needs => [], conditions => [ condition('time(a, b) > 1 s by 0 %') ] },
            { words => 'd', needs => [], conditions => [], lacks => 'a test of it' },
        ],
    );
    my $judged = judged(\%experiment, undef, {}, sub { return unmet($_[0], { cpus_usable => 2 }) });
    is($judged->[0]{why}, 'needs 64 CPUs, and 2 are usable', 'needs of the experiment');
    is($judged->[1]{why}, 'SpawnMeter lacks a test of it', 'what SpawnMeter lacks');
    my $few = { passes => [ (passes('a', 100, 0.01))[ 0 .. 3 ] ] };
    $experiment{claims}[0]{conditions} = [ condition('time(fork, a) < 1 s by 0 %') ];
    is(judged(\%experiment, $few, {}, sub { return })->[0]{verdict},
        'inconclusive', 'too few passes');
    is(
        unmet([ { kind => 'system', amount => 'darwin' } ], { system => 'Linux' }),
        'needs macOS, and this is Linux',
        'another system'
    );
    is(unmet([ { kind => 'memory', amount => 2**31 } ], { memory_available => 1024 }),
        'needs 2048 MB of memory, and 1024 MB are available', 'memory');
    is(unmet([ map { { kind => $_, amount => 1 } } qw(cpus memory) ], {}),
        undef, 'a fact that is unknown is no reason');
};

subtest 'published figures beside' => sub {
    my @figures =
        map { { machine => 'm', series => 'fork', label => 'a', measure => 'time', us => $_ } } 5,
        7, 9;
    my %experiment = (
        machines => [ { name => 'm' } ],
        figures  => \@figures,
        parts    => [ {
            title    => 't',
            measures => [ { tests => ['fork'], values => [qw(a b)] } ]
        } ],
    );
    is(figure_of(\%experiment, 'm', 'time', 'fork', 'a'), 7, 'the median of several');
    my $rows = sides(\%experiment, { passes => [ passes('a', 100, 0.001) ] }, {})->[0]{rows};
    is_deeply([ map { $_->{label} } @{$rows} ],
        [qw(a b)], 'a row for each point, also without figures');
    is($rows->[0]{published}{m}{value}, 7, 'the published one');
    is(sprintf('%.1f', $rows->[0]{here}{value}), '100.0', 'and ours');
    is_deeply(
        times_us(\%experiment),
        [ { machine => 'm', times => { fork => { a => 7 } } } ],
        'times for the picture'
    );
};
is_deeply(\@warnings, [], 'no warnings');
done_testing;
