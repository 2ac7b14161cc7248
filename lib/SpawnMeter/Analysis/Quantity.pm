# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Quantity;

# What passes say besides their rate: the quantities that a sweep can be about in place of the time
# of a whole creation, the histograms and costs that they are taken from, and the reference loops.
# Pure functions.
#
#   quantities() -> their names;  words_of(name or undef) -> what its times are of, for titles
#   periods() -> names of the periods of a target's start-up, in the order of reports
#   words_of_period(its name) -> from where to where it lasts
#   as_rate(quantity or undef, pass) -> the pass with the rate that is computed from this quantity
#       in place of the time of a creation; a pass without it comes back as skipped

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(sum max);
use SpawnMeter::Stats::Numbers qw(median mean);

our @EXPORT_OK = qw(words_of quantities as_rate periods words_of_period is_histogram
    merge_histograms histogram_total histogram_quantiles costs creators seconds blocked_us
    cpu_seconds cpu_us faults_of creations_of iterations of_copies FAULTS WITHIN loop_speed
    loops_rate series);

my %PERIOD = (
    first  => 'to its first instruction',
    main   => 'to main()',
    end    => 'to its end',
    loader => 'dynamic loader',
    libc   => 'entry point to main()',
    ending => 'main() to its end',
);

# [words, sub (pass) -> microseconds, or undef where the pass does not have it]
my %QUANTITY = (
    stall    => [ 'time of the creating call in the parent', \&blocked_us ],
    creating => [ 'time of one process, until the last call of a burst returned', \&creating ],
    exiting  => [ 'time of one exit, from the last call of a burst until it is reaped', \&exiting ],
    fault    => [ 'time of a write to a copied page, in the parent', \&fault ],
    rate     => [ 'time of one process, of all copies together', sub { 1e6 / $_[0]{rate} } ],
    map {
        my $period = $_;
        my $us = sub { median_of(0, in_period($period, start => @_)) };
        ($period => [ "start-up of the target, $PERIOD{$period}", $us ])
    } keys %PERIOD
);

sub fault {
    return median(map { $_->[1] / 1000 } of_copies(fault => @_));
}

# -> microseconds of a creation until the last call of its burst returned, or undef
sub creating {
    my ($pass) = @_;
    my @results = @{ $pass->{results} };
    my $count = sum(map { $_->{count} || 0 } @results);
    return if !$count || grep { !defined $_->{creating} } @results;
    return 1e6 * sum(map { $_->{creating} } @results) / $count;
}

sub exiting {
    my ($pass) = @_;
    my $us = creating($pass);
    return defined $us ? 1e6 * creators($pass) / $pass->{rate} - $us : undef;
}

sub periods { return qw(first main end loader libc ending) }

sub words_of_period { my ($period) = @_; return $PERIOD{$period} }

sub words_of {
    my ($name) = @_;
    return 'time of one process' if !defined $name || $name eq 'time';
    return $QUANTITY{$name}[0];
}

sub quantities { my @names = sort keys %QUANTITY; return @names }

sub as_rate {
    my ($name, $pass) = @_;
    return $pass if !defined $name || $pass->{status} ne 'ok';
    my $us = $QUANTITY{$name} && $QUANTITY{$name}[1]->($pass);
    return { %{$pass}, status => 'skipped', reason => "the test has no $name" } if !$us;
    return { %{$pass}, rate   => 1e6 * creators($pass) / $us, unit => 'lps' };
}

# ---- histograms ----
#
# As the programs print them (src/harness/histogram.h): "bucket:count,count,...;bucket:count,...",
# where the counts are those of consecutive buckets, and an empty one is 0.
#
#   is_histogram(text or anything else) -> true where it is one, of at most 99,999 buckets
#       before its last counts
#   merge_histograms(texts) -> { bucket => count }, all of them added up
#   histogram_total(merged) -> number of latencies in it
#   histogram_quantiles(merged, shares in rising order) -> microseconds, one for each
#       share; an empty list for an empty histogram

use constant {
    TEXT_MAX => 100_000,    # characters
    TOO_LONG => 16,         # digits of a number
};

sub is_histogram {
    my ($text) = @_;
    return if !defined $text || ref $text || length $text > TEXT_MAX;
    return if $text =~ tr/0-9:;,//c || index($text =~ tr/0-9/0/r, '0' x TOO_LONG) >= 0;
    return ";$text" !~ /;(?!\d{1,5}:|;|\z)/a;
}

sub merge_histograms {
    my @count;
    for my $part (map { split /;/ } @_) {
        my ($index, $counts) = split /:/, $part;
        $count[ $index++ ] += $_ || 0 for split /,/, $counts;
    }
    return { map { $count[$_] ? ($_ => $count[$_]) : () } 0 .. $#count };
}

sub histogram_total { my ($merged) = @_; return sum(0, values %{$merged}) }

# The middle of a bucket, in nanoseconds: there is a bucket for each nanosecond up to 64,
# then 64 for each power of two
sub bucket_value {
    my ($index) = @_;
    return $index if $index < 64;
    my $width = 2**(int($index / 64) - 1);
    return (64 + $index % 64) * $width + int($width / 2);
}

sub histogram_quantiles {
    my ($merged, @shares) = @_;
    my $total = histogram_total($merged);
    return if !$total;
    my ($below, @quantiles) = (0);
    my @left = @shares;
    for my $i (sort { $a <=> $b } keys %{$merged}) {
        $below += $merged->{$i};
        while (@left && $below >= $left[0] * $total) {
            push @quantiles, bucket_value($i) / 1000;
            shift @left;
        }
    }
    return @quantiles;
}

# ---- costs ----
#
#   costs([passes]) -> (cpu_us, machine_us, latency, blocked, start, fault, faults_parent,
#       faults_child, placement of their result record, where these are known)
#   of_copies(field, passes) -> what their copies have for it, where it is known
#   creators(pass) -> number of threads that create at once, of all copies together
#   creations_of(copy) -> its iterations, or the count where they are not known
#   cpu_seconds(copies) -> their CPU time, with children; undef where one's is not known
#   cpu_us(pass), faults_of(pass) -> CPU time in microseconds and page faults of an iteration,
#       parent and child together, or undef
#   blocked_us(pass) -> median time of the creating call in the parent, or undef
#   seconds(pass) -> mean time of its copies, or where none is known that of the pass

sub costs {
    my ($passes) = @_;
    my @faults = map { faults_in($_) || () } @{$passes};
    my @writes = of_copies(fault => @{$passes});
    my %start;
    for my $period (periods()) {
        my ($histograms, $lists) = map { [ in_period($period, $_, @{$passes}) ] } qw(starts start);
        my $of_period = percentiles(merge_histograms(@{$histograms}), @{$lists});
        $start{$period} = $of_period if $of_period;
    }
    my ($times, $stalls) =
        map { merge_histograms(of_copies($_ => @{$passes})) } qw(histogram stalls);
    return (
        cpu_us        => scalar median(grep { defined } map { cpu_us($_) } @{$passes}),
        machine_us    => scalar median(grep { defined } map { machine_us($_) } @{$passes}),
        latency       => scalar percentiles($times, of_copies(latency => @{$passes})),
        blocked       => scalar percentiles($stalls, of_copies(stall => @{$passes})),
        start         => %start  ? \%start                                       : undef,
        fault         => @writes ? [ map { median_of($_, @writes) / 1e3 } 1, 2 ] : undef,
        faults_parent => scalar median_of(0, @faults),
        faults_child  => scalar median_of(1, @faults),
        placement     => scalar median(map { placement($_) // () } @{$passes}),
    );
}

sub of_copies {
    my ($field, @passes) = @_;
    return grep { defined } map { $_->{$field} } map { @{ $_->{results} || [] } } @passes;
}

sub in_period {
    my ($period, $field, @passes) = @_;
    return grep { defined } map { $_->{$period} } of_copies($field, @passes);
}

# The median of what lists have at a place
sub median_of {
    my ($i, @lists) = @_;
    return median(grep { defined } map { $_->[$i] } @lists);
}

sub creators {
    my ($pass) = @_;
    my ($copy) = @{ $pass->{results} || [] };
    return $pass->{copies} * ($copy && $copy->{spawners} || 1);
}

sub blocked_us { my ($pass) = @_; return median_of(0, of_copies(stall => $pass)) }

# [minor page faults of an iteration, of its children] in the pass: the means of its copies
sub faults_in {
    my ($pass) = @_;
    my @all = of_copies(page_faults => $pass) or return;
    return [ mean(map { $_->[0] } @all), mean(map { $_->[1] } @all) ];
}

sub faults_of {
    my ($pass) = @_;
    my $faults = faults_in($pass);
    return $faults && sum(@{$faults});
}

# -> the share of the creations whose child began on the parent's CPU, or undef
sub placement {
    my ($pass) = @_;
    my @all = of_copies(placement => $pass);
    my $made = sum(0, map { $_->[1] || 0 } @all);
    return $made ? sum(map { $_->[0] || 0 } @all) / $made : undef;
}

sub seconds {
    my ($pass) = @_;
    my @times = of_copies(time => $pass);
    return @times ? mean(@times) : $pass->{wall};
}

# With timebase 0 the count is an amount per second
sub iterations { my ($copy) = @_; return $copy->{ $copy->{timebase} ? 'count' : 'iterations' } }

sub creations_of { my ($copy) = @_; return $copy->{iterations} || $copy->{count} }

sub cpu_seconds {
    my (@copies) = @_;
    my @cpu = map { @{ $_->{cpu} || [] } } @copies;
    return @cpu && !grep({ !defined } @cpu) ? sum(@cpu) : undef;
}

# The sum of the copies that know theirs, over all their iterations
sub cpu_us {
    my ($pass) = @_;
    my @known = grep { defined cpu_seconds($_) } @{ $pass->{results} || [] };
    return if !@known || grep { !iterations($_) } @known;
    return sum(map { cpu_seconds($_) } @known) / sum(map { iterations($_) } @known) * 1e6;
}

# CPU time of the whole machine in the time of an iteration: with what daemons and kernel threads do
# for it, and all other work
sub machine_us {
    my ($pass) = @_;
    my ($own, $others) = (scalar cpu_us($pass), $pass->{machine}{busy_elsewhere});
    return if !defined $own || !defined $others;
    return $own + $others * $pass->{wall} / sum(map { iterations($_) } @{ $pass->{results} }) * 1e6;
}

# The percentiles of all copies together, by the sum of their histograms, since percentiles cannot
# be averaged.  The largest time is the last of each list; the middle of a bucket can be above it.
# The p99 of fewer than 100 would be the largest time, so it is unknown; likewise p90 and p99.9
sub percentiles {
    my ($merged, @lists) = @_;
    my @quantiles = histogram_quantiles($merged, 0.5, 0.9, 0.99, 0.999);
    return if @quantiles != 4;
    my $max = max(grep { defined } map { $_->[4] } @lists);
    my $total = histogram_total($merged);
    my @known = grep { $total >= 10**$_ } 0 .. $#quantiles;
    @quantiles = map { defined $max && $max < $_ ? $max : $_ } @quantiles[@known];
    return [ @quantiles[ 0 .. 3 ], $max ];
}

# ---- reference loops ----
#
# How fast the machine was.  A program runs the loops before its warm-up and after its timed part,
# and those of page faults also in pauses of it (src/harness/reference.c, pass_pause()).
#
#   FAULTS: both loops of page faults together, whose rate is the geometric mean of theirs
#   WITHIN: the same in pauses of the timed part; every other pause is in the first reading, those
#       between are in the second
#   loop_speed(pass, name of a loop, FAULTS or WITHIN, moment) -> mean logarithm of its rate in all
#       copies, undef where unknown: of both readings, or with a moment of the first one (0) or the
#       last (-1)
#   series([passes of a test], names of loops) -> (that one which half of the passes have, and three
#       at least, or undef; of each pass { y => log of its rate, and where it has these loops x =>
#       speed, x2 => [two readings of it] } for adjust() of Stats::Numbers)
#   loops_rate([passes]) -> median of FAULTS per second, or undef

use constant {
    FAULTS => 'faults',
    WITHIN => 'within',
    KNOWN  => 3,          # passes that have it, at least: an estimate needs them
};

sub loop_speed {
    my ($pass, $name, $moment) = @_;
    my $field = $name eq WITHIN ? 'within' : 'references';
    my @readings = map { defined $moment ? $_->[$moment] : @{$_} }
        grep { $_ && @{$_} } map { $_->{$field} } @{ $pass->{results} || [] };
    my @loops = $name eq FAULTS || $name eq WITHIN ? qw(sparse_faults page_faults) : $name;
    my $speed = 0;
    for my $loop (@loops) {
        my @logs = map { log } grep { defined && $_ > 0 } map { $_->{$loop} } @readings;
        return if !@logs;
        $speed += sum(@logs) / @logs;
    }
    return $speed / @loops;
}

sub series {
    my ($passes, @loops) = @_;
    for my $name (@loops) {
        my @points = map { point($_, $name) } @{$passes};
        my $number = grep { defined $_->{x} } @points;
        return ($name, \@points) if $number >= KNOWN && 2 * $number >= @points;
    }
    return (undef, [ map { { y => log $_->{rate} } } @{$passes} ]);
}

sub point {
    my ($pass, $name) = @_;
    my @readings = map { scalar loop_speed($pass, $name, $_) } 0, -1;
    my @x = grep({ !defined } @readings) ? () : (x => sum(@readings) / 2, x2 => \@readings);
    return { y => log $pass->{rate}, @x };
}

sub loops_rate {
    my ($passes) = @_;
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    my $speed = median(grep { defined } map { scalar loop_speed($_, FAULTS) } @good);
    return defined $speed ? exp $speed : undef;
}

1;
