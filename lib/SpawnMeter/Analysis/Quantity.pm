# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Quantity;

# What a sweep is about, where that is not the time of a whole creation.  Pure functions.
#
#   words_of(name or undef) -> what the times are of, for titles
#   quantity(name) -> { words, us => sub (pass) -> microseconds, or undef where
#       the pass does not have it }; undef for an unknown name
#   quantities() -> their names
#   periods() -> the periods of a target's start-up (START), in the order of reports
#   words_of_period(period) -> for tables
#   as_rate(name, pass) -> the pass with the rate that gives this time for one creation, as
#       each copy, or thread that creates, sees it, so that all that is computed from rates
#       holds for it; a pass without the quantity comes back as skipped

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(sum);
use SpawnMeter::Analysis::Histogram qw(creators stall_of start_of);
use SpawnMeter::Stats::Numbers      qw(median);

our @EXPORT_OK = qw(words_of quantity quantities as_rate periods words_of_period);

my %PERIOD = (
    first  => 'to its first instruction',
    main   => 'to main()',
    end    => 'to its end',
    loader => 'dynamic loader',
    libc   => 'entry point to main()',
    ending => 'main() to its end',
);

my %QUANTITY = (
    stall    => { words => 'time of the creating call in the parent', us => \&stall_of },
    creating => {
        words => 'time of one process, until the last call of a burst returned',
        us    => \&creating,
    },
    exiting => {
        words => 'time of one exit, from the last call of a burst until it is reaped',
        us    => \&exiting,
    },
    fault => { words => 'time of a write to a copied page, in the parent', us => \&fault },
    rate  => {
        words => 'time of one process, of all copies together',
        us    => sub { return 1e6 / $_[0]{rate} },
    },
    map { $_ => period($_) } keys %PERIOD
);

sub creating {
    my ($pass) = @_;
    my @results = @{ $pass->{results} };
    my $count = sum(map { $_->{count} || 0 } @results);
    return if !$count || grep { !defined $_->{creating} } @results;
    return 1e6 * sum(map { $_->{creating} } @results) / $count;
}

# Of a burst, what comes after its creations
sub exiting {
    my ($pass) = @_;
    my $us = creating($pass);
    return if !defined $us;
    return 1e6 * creators($pass) / $pass->{rate} - $us;
}

sub fault {
    my ($pass) = @_;
    return median(map { $_->{fault} ? $_->{fault}[1] / 1000 : () } @{ $pass->{results} });
}

sub period {
    my ($period) = @_;
    return {
        words => "start-up of the target, $PERIOD{$period}",
        us    => sub { return start_of($period, @_) },
    };
}

sub periods { return qw(first main end loader libc ending) }

sub words_of_period { my ($period) = @_; return $PERIOD{$period} }

sub quantity { my ($name) = @_; return $QUANTITY{$name} }

sub words_of {
    my ($name) = @_;
    return 'time of one process' if !defined $name || $name eq 'time';
    return quantity($name)->{words};
}

sub quantities { my @names = sort keys %QUANTITY; return @names }

sub as_rate {
    my ($name, $pass) = @_;
    return $pass if $pass->{status} ne 'ok';
    my $quantity = quantity($name);
    my $us = $quantity && $quantity->{us}->($pass);
    return { %{$pass}, status => 'skipped', reason => "the test has no $name" } if !$us;
    return { %{$pass}, rate   => 1e6 * creators($pass) / $us, unit => 'lps' };
}

1;
