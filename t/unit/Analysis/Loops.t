# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Quantity qw(FAULTS WITHIN loop_speed loops_rate);

# A pass with these rates of page faults before and after the timed part of each copy
sub pass_of {
    my (@copies) = @_;
    my @results = map {
        { references => [ map { { page_faults => $_ } } @{$_} ] }
    } @copies;
    return { status => 'ok', results => \@results };
}

sub near { my ($x, $y, $what) = @_; return cmp_ok(abs($x - $y), '<', 1e-9, $what) }

subtest 'the level of a pass' => sub {
    near(loop_speed(pass_of([ 100, 400 ]), 'page_faults'), log 200, 'before and after');
    near(loop_speed(pass_of([200]), 'page_faults'), log 200, 'without a warm-up: after alone');
    is(loop_speed(pass_of([200]), 'arithmetic'), undef, 'a loop that did not run');
    is(loop_speed(pass_of([ 0, undef, -5 ]), 'page_faults'), undef, 'no positive rate');
};

subtest 'page faults of both kinds' => sub {
    my @read = map { { page_faults => $_->[0], sparse_faults => $_->[1] } }[ 400, 100 ],
        [ 900, 400 ];
    my $pass = { status => 'ok', results => [ { references => \@read } ] };
    near(loop_speed($pass, FAULTS), log(12e4) / 2, 'and of both moments');
    my $one = pass_of([ 100, 400 ]);
    is(loop_speed($one, FAULTS), undef, 'one of them alone: unknown');
};

subtest 'page faults in pauses of the pass' => sub {
    my $pass = pass_of([ 7, 7 ]);
    $pass->{results}[0]{within} =
        [ map { { page_faults => $_->[0], sparse_faults => $_->[1] } } [ 400, 100 ], [ 900, 400 ] ];
    near(loop_speed($pass, WITHIN, 0), log 200, 'of every other pause');
    near(loop_speed($pass, WITHIN, -1), log 600, 'of those between');
    near(loop_speed($pass, WITHIN), log(12e4) / 2, 'of all');
    near(loop_speed($pass, 'page_faults'), log 7, 'those around the pass are others');
    is(loop_speed(pass_of([ 7, 7 ]), WITHIN), undef, 'a pass without pauses');
};

# Both loops, before and after the timed part, at this share of their usual rates
sub at_speed {
    my ($share) = @_;
    my %loops = (page_faults => 2000 * $share, sparse_faults => 500 * $share);
    return { status => 'ok', results => [ { references => [ {%loops}, {%loops} ] } ] };
}

is(sprintf('%.3f', loops_rate([ (at_speed(1)) x 3, at_speed(0.01) ])),
    '1000.000', 'the rate of a run, by both kinds of page faults');
is(loops_rate([ map { pass_of([ 1000, 1000 ]) } 1 .. 20 ]), undef, 'one loop alone: unknown');

done_testing;
