# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Reference qw(LOOPS level movement);

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
    near(level(pass_of([ 100, 400 ]), 'page_faults'), log 200, 'before and after');
    near(level(pass_of([ 100, 400 ], [ 800, 800 ]), 'page_faults'), log 400, 'two copies');
    near(level(pass_of([200]), 'page_faults'), log 200, 'without a warm-up: after alone');
    is(level(pass_of([200]), 'loads'), undef, 'a loop that did not run');
    is(level(pass_of([ 0, undef, -5 ]), 'page_faults'), undef, 'no positive rate');
    is(level({ status => 'ok' }, 'page_faults'), undef, 'a pass without copies');
};

subtest 'the movement of a run' => sub {
    my @steady = map { pass_of([ 1000, 1000 ]) } 1 .. 32;
    my $found = movement(\@steady);
    is($found->{name}, 'page_faults', 'by the loop that ran');
    near($found->{rate}, 1000, 'median');
    near($found->{moved}, 0, 'it did not move');
    my @step = (@steady[ 0 .. 15 ], map { pass_of([ 1200, 1200 ]) } 1 .. 16);
    near(movement(\@step)->{moved}, 0.2, 'a step by 20 %');
    my @spike = (@steady[ 0 .. 30 ], pass_of([ 10, 10 ]));
    near(movement(\@spike)->{moved}, 0, 'a single pass does not count');
    is(movement([ @steady[ 0 .. 14 ] ])->{moved}, undef, 'too few passes for two parts');
    is(movement([ map { { status => 'ok', results => [ {} ] } } 1 .. 20 ]), undef, 'no loops');
    is(movement([ { %{ $steady[0] }, status => 'failed' } ]), undef, 'no good pass');
    my @both = map { pass_of([ 1000, 1000 ]) } 1 .. 32;
    $_->{results}[0]{references}[0]{sparse_faults} = 500 for @both;
    is(movement(\@both)->{name}, 'sparse_faults', 'two loops beside each pass: the first one');
    delete $both[0]{results}[0]{references}[0]{sparse_faults};
    is(movement(\@both)->{name}, 'page_faults', 'that which ran beside most');
};

is((LOOPS)[0], 'sparse_faults', 'sparse page faults are the first loop');

done_testing;
