# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::ProgramOutput;

# The lines that a test program prints on standard error.  Pure functions.
#
#   parse(text) -> { skip => reason }, or { error => reason, kind => 'reported' by the
#       program, 'malformed' (a line) or 'incomplete' }, or the result:
#       count, timebase, label => COUNT: how many, per how many seconds (0: a rate
#           already), unit
#       time       => TIME: seconds that they took
#       cpu        => CPU: [user and system of the program, user and system of its
#           children], seconds
#       latency    => LATENCY: [p50, p90, p99, p99.9, max] in microseconds
#       histogram  => HISTOGRAM: text (SpawnMeter::Analysis::Quantity)
#       stall      => STALL: [p50, p90, p99, p99.9, max] in microseconds of the creating call
#       stalls     => STALL: their histogram
#       start      => START: { period => [p50, p90, p99, p99.9, max] in microseconds }
#       starts     => START: { period => their histogram }
#       fault      => FAULT: [pages, nanoseconds of a write in the parent, in the child]
#       page_faults => MINFLT: [minor page faults of an iteration: of the program, of its
#           children]
#       placement  => PLACEMENT: [creations whose child began on the parent's CPU, all of them]
#       spawners   => SPAWNERS: threads that created at once
#       batches    => BATCHES: text
#       footprint  => FOOTPRINT: [VSZ, RSS, page tables in kB, open files]
#       timed      => TIMED: number of iterations in the histogram
#       gate       => GATE: the monotonic clock when the timed part began, seconds
#       progress   => PROGRESS: "us:iterations,us:iterations,...", one after the other from
#           then on
#       disturb    => DISTURB: { key => number }
#       creating   => CREATING: seconds of bursts before the first reap
#       iterations => ITERATIONS: number of iterations, where the count is an amount
#       references => REFERENCE: [ { name of a loop => rate per second } ], one before the
#           timed part, if the program warmed up, and one after it
#       paused, paused_cpu => PAUSES: seconds of all pauses of the timed part, and of their CPU
#           time; neither is in time and cpu
#       within     => PAUSES: two readings as those of references, of the loops that run in
#           these pauses: one of every other pause, one of those between; missing where there
#           were under LEAST_PAUSES of each
#     A number that the program does not know (-) is undef
#   rate_of([results of the copies of a pass], elapsed seconds, their common window or undef
#       (SpawnMeter::Analysis::ProgramOutput)) -> per second (per minute
#       with timebase 60), of all copies together: what they made in the time in which all
#       of them ran.  Where they never all ran at once, what they made over the time from the
#       first start to the last end; where they do not say when they started (a classic
#       tree's), the sum of the counts over the mean of the times, as in the classic suite
#
# A line without "|" is an error, and a KEY|value line with another key is ignored; the
# classic driver does the same.

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(sum max min);
use SpawnMeter::Analysis::Quantity qw(is_histogram histogram_text merge_histograms);
use SpawnMeter::Stats::Numbers     qw(geometric_mean mean);
use SpawnMeter::Util::Format       qw(plain);

our @EXPORT_OK = qw(parse rate_of together condensed cpu_seconds common_window);

use constant LEAST_PAUSES => 3;

# A decimal number as programs print it; undef for others, and for those that overflow
sub number {
    my ($text) = @_;
    return $text =~ /^-?\d{1,18}(?:[.]\d{1,12})?(?:[eE][-+]?\d{1,2})?$/ ? $text + 0 : undef;
}

sub numbers {
    my ($count, @texts) = @_;
    return if @texts != $count;
    my @numbers = map { $_ eq '-' ? undef : number($_) } @texts;
    return if grep { !defined $numbers[$_] && $texts[$_] ne '-' } 0 .. $#texts;
    return \@numbers;
}

# The only field, a number; or undef
sub one_number {
    my (@fields) = @_;
    return @fields == 1 ? number($fields[0]) : undef;
}

# Key of a line => sub (fields) -> { what they add to the result }, or nothing where they are
# malformed.  All subs are called in list context.
my %FIELDS = (
    COUNT => sub {
        my (@fields) = @_;
        return if @fields < 3;
        my ($count, $timebase) = map { number($_) } @fields[ 0, 1 ];
        return if !defined $count || !defined $timebase || $count < 0 || $timebase < 0;
        return { count => $count, timebase => $timebase, label => plain($fields[2]) };
    },
    TIME => sub {
        my $time = one_number(@_);
        return defined $time && $time > 0 ? { time => $time } : ();
    },
    CPU        => sub { return list_of(cpu       => 4, @_) },
    LATENCY    => sub { return list_of(latency   => 5, @_) },
    FOOTPRINT  => sub { return list_of(footprint => 4, @_) },
    CREATING   => sub { return number_of(creating   => @_) },
    ITERATIONS => sub { return number_of(iterations => @_) },
    TIMED      => sub { return number_of(timed      => @_) },
    SPAWNERS   => sub { return number_of(spawners   => @_) },
    GATE       => sub { return number_of(gate       => $_[0]) },
    PROGRESS   => sub {
        my (@fields) = @_;
        return @fields == 2 && $fields[1] =~ /^\d{1,15}:\d{1,15}(?:,\d{1,15}:\d{1,15})*\z/a
            ? { progress => $fields[1] }
            : ();
    },
    FAULT  => sub { return list_of(fault => 3, @_) },
    MINFLT => sub {
        my (@fields) = @_;
        return @fields == 3 ? list_of(page_faults => 2, @fields[ 0, 1 ]) : ();
    },
    PLACEMENT => sub { return list_of(placement => 2, @_) },
    START     => sub {
        my ($period, @fields) = @_;
        my ($numbers, $histogram) = percentiles(@fields) or return;
        return if $period !~ /^[a-z]{1,20}\z/;
        return { start => { $period => $numbers }, starts => { $period => $histogram } };
    },
    STALL => sub {
        my ($stall, $histogram) = percentiles(@_) or return;
        return { stall => $stall, stalls => $histogram };
    },
    HISTOGRAM => sub {
        my (@fields) = @_;
        return @fields == 1 && is_histogram($fields[0]) ? { histogram => $fields[0] } : ();
    },
    BATCHES => sub {
        my (@fields) = @_;
        return @fields == 2 && "@fields" =~ /^[\d.]+ [\d,]*$/
            ? { batches => join q{|}, @fields }
            : ();
    },
    DISTURB   => sub { return set_of(disturb   => @_) },
    REFERENCE => sub { return set_of(reference => @_) },
    PAUSES    => \&pauses,
    SKIP      => sub { return reason(skip  => @_) },
    ERROR     => sub { return reason(error => @_) },
);

# p50|p90|p99|p99.9|max|histogram -> (numbers, histogram), or nothing
sub percentiles {
    my (@fields) = @_;
    my $histogram = pop @fields;
    my $numbers = numbers(5, @fields);
    return $numbers && length $histogram && is_histogram($histogram) ? ($numbers, $histogram) : ();
}

sub list_of {
    my ($field, $count, @fields) = @_;
    my $numbers = numbers($count, @fields);
    return $numbers ? { $field => $numbers } : ();
}

# name=number ...
sub set_of {
    my ($field, @fields) = @_;
    my %seen = map { /^(\w+)=(.*)$/ ? ($1 => $2 eq '-' ? undef : number($2)) : () } @fields;
    return keys %seen == @fields ? { $field => \%seen } : ();
}

# seconds|CPU seconds|name=rate,... of each pause|... -> these times, and two readings: the
# geometric means of every other pause, and of those between
sub pauses {
    my ($seconds, $cpu, @fields) = @_;
    my %rates =
        map { /^(\w+)=([1-9]\d*(?:,[1-9]\d*)*)\z/a ? ($1 => [ split /,/, $2 ]) : () } @fields;
    my $times = numbers(2, $seconds, defined $cpu ? $cpu : q{});
    return if !$times || !%rates || keys %rates != @fields;
    my %all = (paused => $times->[0], paused_cpu => $times->[1]);
    my %halves;
    for my $name (keys %rates) {
        my @rates = @{ $rates{$name} };
        for my $first (0, 1) {
            my @half = @rates[ grep { $_ % 2 == $first } 0 .. $#rates ];
            return \%all if @half < LEAST_PAUSES;
            $halves{$first}{$name} = geometric_mean(@half);
        }
    }
    return { %all, within => [ @halves{ 0, 1 } ] };
}

sub number_of {
    my ($field, @fields) = @_;
    my $number = one_number(@fields);
    return defined $number ? { $field => $number } : ();
}

sub reason {
    my ($field, @parts) = @_;
    my $text = join q{|}, @parts;
    return length $text ? { $field => plain($text) } : ();
}

sub parse {
    my ($text) = @_;
    if (length $text && substr($text, -1) ne "\n") {
        my $last = substr $text, 1 + rindex $text, "\n";
        return wrong(incomplete => 'the test printed an incomplete line: ' . plain($last));
    }
    my (%result, @references);
    for my $line (grep { length($_) } split /\n/, $text) {
        my ($key, @fields) = split /\|/, $line, -1;
        return wrong(malformed => 'the test printed: ' . plain($line)) if !@fields;
        next if !$FIELDS{$key};
        my ($new) = $FIELDS{$key}->(@fields);
        return wrong(malformed => 'the test printed a malformed line: ' . plain($line)) if !$new;

        push @references, $new->{reference} if $new->{reference};
        next if $key eq 'REFERENCE';

        # the first reason is the cause: that of a script precedes that of its caller
        next if $key eq 'SKIP' && defined $result{skip};

        # a line for each period of START
        $new->{$_} = { %{ $result{$_} || {} }, %{ $new->{$_} } }
            for grep { ref $new->{$_} eq 'HASH' } qw(start starts);
        %result = (%result, %{$new});
    }
    $result{references} = \@references if @references;
    return wrong(reported => $result{error}) if defined $result{error};
    return { skip => $result{skip} } if defined $result{skip};
    return wrong(incomplete => 'the test printed no COUNT line') if !defined $result{count};
    return wrong(incomplete => 'the test created nothing') if $result{count} == 0;
    return \%result;
}

sub wrong { my ($kind, $why) = @_; return { error => $why, kind => $kind } }

sub rate_of {
    my ($copies, $elapsed, $window) = @_;
    return of_window($window) * ($copies->[0]{timebase} || 1) if $window;
    my $count = sum(map { $_->{count} } @{$copies});
    my $base = $copies->[0]{timebase};
    return $count if $base == 0;
    my $time = sum(map { defined $_->{time} ? $_->{time} : $elapsed } @{$copies}) / @{$copies};
    return $count / $time * $base;
}

# Per second
sub of_window {
    my ($window) = @_;
    return $window->{made} / $window->{length} if $window->{made};
    return $window->{total} / $window->{outer};
}

# ---- the copies of a pass ----
#
# What the copies of a good pass say together.
#
#   together([results of SpawnMeter::Analysis::ProgramOutput], number of CPUs that the copies
#       share, seconds of the pass) -> { pass => { rate, unit, results, window } of a pass
#       record, cpu_seconds => CPU time of all copies or undef, overlap => { gate_spread or
#       apart } of the pass's machine }.  Removes the progress from the results
#   cpu_seconds(results) -> their CPU time, with children; undef where it is not known
#   condensed([results]) -> [results]: of many copies a single result stands for all

use constant COPIES_STORED => 64;    # each by itself

sub together {
    my ($copies, $cpus, $wall) = @_;
    my $window = @{$copies} > 1 ? common_window($copies) : undef;
    delete $_->{progress} for @{$copies};
    return {
        cpu_seconds => cpu_seconds(@{$copies}),
        overlap     => { overlap($copies, $window, $cpus) },
        pass        => {
            rate    => rate_of($copies, $wall, $window),
            unit    => $copies->[0]{label},
            results => condensed($copies),
            $window ? (window => rounded($window)) : (),
        },
    };
}

sub cpu_seconds {
    my (@copies) = @_;
    my @cpu = map { @{ $_->{cpu} || [] } } @copies;
    return @cpu && !grep({ !defined } @cpu) ? sum(@cpu) : undef;
}

sub rounded {
    my ($window) = @_;
    return {
        map  { $_ => sprintf('%.6f', $window->{$_}) + 0 }
        grep { defined $window->{$_} } keys %{$window}
    };
}

# Up to one copy for each CPU all can start at once: the spread of the starts.  Of more, the
# last one starts when it gets a turn: the share of the pass in which not all ran.
sub overlap {
    my ($copies, $window, $cpus) = @_;
    my $time = $window ? mean(map { $_->{time} } @{$copies}) : 0;
    return if !$time;
    return (gate_spread => sprintf('%.4f', $window->{spread} / $time) + 0)
        if @{$copies} <= ($cpus || 1);
    return (apart => sprintf('%.4f', 1 - $window->{length} / $time) + 0);
}

# Sums; the time is the mean.  What disturbed a copy: of waiting and suspension the largest.
sub condensed {
    my ($copies) = @_;
    return $copies if @{$copies} <= COPIES_STORED;
    my %all = (%{ $copies->[0] }, copies => scalar @{$copies});
    delete @all{qw(batches progress gate)};
    $all{$_} = total($_, $copies) for grep { defined $all{$_} } qw(count iterations timed creating);
    $all{time} = mean(map { $_->{time} } @{$copies}) if !grep { !$_->{time} } @{$copies};
    for my $field (qw(cpu latency stall fault page_faults placement)) {
        my $how =
            { cpu => \&sum, placement => \&sum, fault => \&mean, page_faults => \&mean }->{$field}
            || \&max;
        $all{$field} = by_column($how, map { $_->{$field} } @{$copies}) if $all{$field};
    }
    for my $field (grep { defined $all{$_} } qw(histogram stalls)) {
        $all{$field} =
            histogram_text(merge_histograms(grep { defined } map { $_->{$field} } @{$copies}));
    }
    $all{$_} = by_period($_, $copies) for grep { $all{$_} } qw(start starts);
    $all{references} = reference_rates(map { $_->{references} } @{$copies})
        if $all{references};
    $all{disturb} = {
        map {
            my ($key, $how) = ($_, /_ns\z|traced/ ? \&max : \&sum);
            $key => scalar $how->(grep { defined } map { $_->{disturb}{$key} } @{$copies});
        } keys %{ $all{disturb} }
        }
        if $all{disturb};
    return [ \%all ];
}

# Of each period of the start-up: the largest percentiles, or the merged histogram
sub by_period {
    my ($field, $copies) = @_;
    my %of;
    for my $copy (grep { $_->{$field} } @{$copies}) {
        push @{ $of{$_} }, $copy->{$field}{$_} for keys %{ $copy->{$field} };
    }
    return {
        map {
            $_ => $field eq 'start'
                ? scalar by_column(\&max, @{ $of{$_} })
                : scalar histogram_text(merge_histograms(@{ $of{$_} }))
        } keys %of
    };
}

# The geometric mean of the copies' rates of each loop, before and after
sub reference_rates {
    my (@lists) = @_;
    my @moments;
    for my $i (0 .. $#{ $lists[0] }) {
        my @of = grep { defined } map { $_->[$i] } grep { defined } @lists;
        push @moments, {
            map {
                my $name = $_;
                $name => scalar geometric_mean(grep { defined } map { $_->{$name} } @of)
            } keys %{ $lists[0][$i] }
        };
    }
    return \@moments;
}

sub total {
    my ($field, $copies) = @_;
    return sum(map { $_->{$field} || 0 } @{$copies});
}

# The first of each list together, then the second ...; undef where one is unknown
sub by_column {
    my ($how, @lists) = @_;
    return [
        map {
            my $i = $_;
            my @of = map { $_->[$i] } @lists;
            grep({ !defined } @of) ? undef : $how->(@of);
        } 0 .. $#{ $lists[0] }
    ];
}

# ---- the time that all copies share ----
#
# What several copies of a test made together: only the time in which all of them ran counts,
# from the start of the last one to the end of the first one.  While some have not started or
# have already ended, the others are faster, so rates of the copies' own times must not be
# added up.  Pure functions.
#
#   common_window([results of the copies of a pass]) -> { length => seconds in which all ran,
#       negative where there is no such time; made => iterations in it (for a test whose count
#       is an amount per second: the amount), undef where there is no such time; outer =>
#       seconds from the first start to the last end; total => what was made in these; spread
#       => seconds from the first start to the last one }, or undef where a copy does not say
#       when it started
#
# A share of the iteration that a copy is in at the start and at the end counts, so a count of
# iterations that have begun, such as the kernel's of new processes, can differ by up to one for
# each copy.
#
# A result is that of SpawnMeter::Analysis::ProgramOutput.  Between two points of its progress
# a copy is taken to be steady; a copy without progress, from its start to its end.

use constant MICROSECOND => 1e-6;    # in seconds

sub common_window {
    my ($results) = @_;
    return if grep { !defined $_->{gate} || !$_->{time} } @{$results};
    my @starts = map { $_->{gate} } @{$results};
    my @ends = map { $_->{gate} + $_->{time} } @{$results};
    my ($from, $to) = (max(@starts), min(@ends));
    return {
        length => $to - $from,
        made   => $to > $from ? sum(map { made_between($_, $from, $to) } @{$results}) : undef,
        outer  => max(@ends) - min(@starts),
        total  => sum(map { amount($_) * iterations($_) } @{$results}),
        spread => $from - min(@starts),
    };
}

sub made_between {
    my ($copy, $from, $to) = @_;
    return amount($copy) * (iterations_at($copy, $to) - iterations_at($copy, $from));
}

# With timebase 0 the count is an amount per second
sub iterations {
    my ($copy) = @_;
    return $copy->{timebase} || !$copy->{iterations} ? $copy->{count} : $copy->{iterations};
}

# Of one iteration
sub amount {
    my ($copy) = @_;
    return 1 if $copy->{timebase};
    return $copy->{count} * $copy->{time} / iterations($copy);
}

# Iterations of a copy until this reading of the clock
sub iterations_at {
    my ($copy, $clock) = @_;
    my ($at, $made) = ($copy->{gate}, 0);
    for my $step (steps($copy)) {
        my ($seconds, $more) = @{$step};
        return $made + $more * ($clock - $at) / $seconds if $clock < $at + $seconds;
        $at   += $seconds;
        $made += $more;
    }
    return $made;
}

# -> [seconds, iterations made in these], one after the other
sub steps {
    my ($copy) = @_;
    return [ $copy->{time}, iterations($copy) ] if !defined $copy->{progress};
    my @steps = map { [ split /:/ ] } split /,/, $copy->{progress};
    return map { [ $_->[0] * MICROSECOND, $_->[1] ] } @steps;
}

1;
