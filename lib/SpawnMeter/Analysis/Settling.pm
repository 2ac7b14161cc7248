# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Settling;

# Whether tests that are measured in the same rounds have been measured well enough.
#
#   new(precision: a share)
#   add(name of a test, pass) -> undef, or where the test is looked at after this pass
#       { rate, plus_minus, settled }: the median of the passes that count, half of the interval
#       of their center as a share of it, and 1 or 0
#   now(name) -> the same of all passes so far, whether it is looked at or not
#   settled(name) -> 1 or 0, at the last look at this test
#   FIRST_LOOK: number of passes at the first look; LOOK_EVERY: passes between looks; LOOKS: that
#       must be good, in a row
#
# A test is looked at after 12 passes and after every 3 further ones.  It is settled when its
# interval (Stats::Estimate) is within the precision at two looks in a row, and all tests
# together have 24 passes.

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(sum);
use SpawnMeter::Analysis::Disturbance qw(flags sound reading);
use SpawnMeter::Stats::Estimate       qw(estimate plus_minus correlation);
use SpawnMeter::Stats::Numbers        qw(mean median);

our @EXPORT_OK = qw(FIRST_LOOK LOOK_EVERY LOOKS);

use constant {
    FIRST_LOOK => 12,
    LOOK_EVERY => 3,
    LOOKS      => 2,     # in a row that must be good
    RELIABLE   => 24,    # passes of all tests, to know their correlation
    FEWEST     => 3,     # passes that have a correlation in the report
};

sub new {
    my ($class, $precision) = @_;
    return bless { precision => $precision, tests => {} }, $class;
}

sub add {
    my ($self, $name, $pass) = @_;
    my $test = $self->{tests}{$name} ||= { passes => [], readings => [], good => 0 };
    push @{ $test->{passes} }, $pass;
    push @{ $test->{readings} }, reading($pass);
    my $y = $test->{y} = logarithms($test);
    $test->{correlation} = @{$y} < FEWEST ? undef : correlation($y);
    my $n = @{ $test->{passes} };
    return if $n < FIRST_LOOK || ($n - FIRST_LOOK) % LOOK_EVERY;
    my $seen = $self->seen($test);
    my $precise = defined $seen->{plus_minus} && $seen->{plus_minus} <= $self->{precision};
    $test->{good} = $precise ? $test->{good} + 1 : 0;
    my $passes = sum(map { scalar @{ $_->{passes} } } values %{ $self->{tests} });
    $test->{settled} = $test->{good} >= LOOKS && $passes >= RELIABLE ? 1 : 0;
    return { %{$seen}, settled => $self->settled($name) };
}

sub now {
    my ($self, $name) = @_;
    return { %{ $self->seen($self->{tests}{$name}) }, settled => $self->settled($name) };
}

sub logarithms {
    my ($test) = @_;
    my ($passes, $readings) = @{$test}{qw(passes readings)};
    my $sound = sound($passes, [ flags($passes, $readings) ]);
    return [ map { log $_->{rate} } grep { $_->{rate} > 0 } @{$sound} ];
}

# As in the report: with the correlation of all tests, in one order, so that their sum has the same
# last digit each time
sub seen {
    my ($self, $test) = @_;
    my $tests = $self->{tests};
    my @known = grep { defined } map { $tests->{$_}{correlation} } sort keys %{$tests};
    my $y = $test->{y};
    my $estimate = estimate($y, @known ? mean(@known) : undef);
    return {
        rate       => scalar median(map { exp } @{$y}),
        plus_minus => $estimate ? plus_minus($estimate) : undef,
    };
}

sub settled {
    my ($self, $name) = @_;
    my $test = $self->{tests}{$name};
    return $test && $test->{settled} ? 1 : 0;
}

1;
