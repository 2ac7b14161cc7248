# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::ProgramOutput;

# The lines that a test program prints on standard error.  Pure functions.
#
#   parse(text) -> { skip => reason }, { error => reason }, or the result, whose fields are in
#       %NUMBERS and %LINE (page_faults: of an iteration in the program, in its children).  A number
#       that the program does not know (-) is undef
#   stored(text) -> [lines] of it that a run file keeps; parse_stored(these lines as one text) ->
#       the result; dies where they are none
#   rate_of([results of the copies of a pass], elapsed seconds, their common window or undef)
#       -> per second (per minute with timebase 60), of all copies together: what they made in
#       the time in which all of them ran.  Where they never all ran at once, what they made
#       over the time from the first start to the last end; where they do not say when they
#       started (a classic tree's), the sum of the counts over the mean of the times, as in the
#       classic suite
#
# A line without "|" is an error, and a KEY|value line with another key is ignored; the
# classic driver does the same.

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(sum max min);
use SpawnMeter::Analysis::Quantity qw(is_histogram creations_of);
use SpawnMeter::Stats::Numbers     qw(geometric_mean mean);
use SpawnMeter::Util::Format       qw(plain);

our @EXPORT_OK = qw(parse stored parse_stored rate_of together common_window);

use constant LEAST_PAUSES => 3;

# A decimal number as programs print it, which does not overflow; or -, where it is unknown
my $NUMBER = qr/-?\d{1,18}(?:[.]\d{1,12})?(?:[eE][-+]?\d{1,2})?/;
my $NUMBERS = qr/\A(?:$NUMBER|-)(?:[|](?:$NUMBER|-))*+\z/;

sub number { my ($text) = @_; return $text =~ /\A$NUMBER\z/ ? $text + 0 : undef }

sub numbers {
    my ($count, @texts) = @_;
    return if @texts != $count || join(q{|}, @texts) !~ $NUMBERS;
    return [ map { $_ eq q{-} ? undef : $_ + 0 } @texts ];
}

# Lines of numbers: the field, and how many they are; a single one is the field itself, and known
my %NUMBERS = (
    TIME       => [ time       => 1 ],    # seconds for the count
    CPU        => [ cpu        => 4 ],    # s, user and system: of the program, of its children
    LATENCY    => [ latency    => 5 ],    # p50, p90, p99, p99.9, max in microseconds
    TIMED      => [ timed      => 1 ],    # iterations in the histogram (Analysis::Quantity)
    FAULT      => [ fault      => 3 ],    # pages, ns of a write in the parent, in the child
    PLACEMENT  => [ placement  => 2 ],    # creations on the parent's CPU, all of them
    SPAWNERS   => [ spawners   => 1 ],    # threads that created at once
    SPREAD     => [ spread     => 1 ],    # seconds from the first start of these to the last one
    WARMED     => [ warmed     => 1 ],    # CPU seconds of the warm-up, since the gate
    FOOTPRINT  => [ footprint  => 4 ],    # VSZ, RSS, page tables in kB, open files
    GATE       => [ gate       => 1 ],    # the monotonic clock when the timed part began
    CREATING   => [ creating   => 1 ],    # seconds of bursts before the first reap
    ITERATIONS => [ iterations => 1 ],    # where the count is an amount
);

# Since the gate: "us:iterations,us:iterations,..."
my $PROGRESS = qr/^[^|]*[|](\d{1,15}:\d{1,15}(?:,\d{1,15}:\d{1,15})*)\z/a;

# Key of another line => sub (result, fields), which adds to the result what they say -> true, or
# false where they are malformed
my %LINE = (
    COUNT     => \&count,    # count, timebase: per so many s (0: a rate), label: unit
    HISTOGRAM => sub { return @_ == 2 && is_histogram($_[0]{histogram} = $_[1]) },
    STALL     => sub { return @{ $_[0] }{qw(stall stalls)} = percentiles(@_[ 1 .. $#_ ]) },
    START     => \&start,    # start, starts: { period => of these }
    MINFLT    => sub { return @_ == 4 && ($_[0]{page_faults} = numbers(2, @_[ 1, 2 ])) },
    BATCHES   => sub { return text(batches  => qr/^([\d.]+[|][\d,]*)\z/, @_) },
    IMAGES    => sub { return text(images   => qr/^(short|whole)\z/, @_) },
    PROGRESS  => sub { return text(progress => $PROGRESS, @_) },
    DISTURB   => sub { return $_[0]{disturb} = set_of(@_[ 1 .. $#_ ]) },
    REFERENCE => \&reference,
    PAUSES    => \&pauses,
    SKIP      => sub { return defined $_[0]{skip} || reason(skip => @_) },    # the first: its cause
    ERROR     => sub { return reason(error => @_) },
);

sub add_numbers {
    my ($result, $key, @fields) = @_;
    my ($name, $count) = @{ $NUMBERS{$key} };
    my $numbers = numbers($count, @fields) or return;
    $result->{$name} = $count > 1 ? $numbers : $numbers->[0];
    return defined $result->{$name} && ($key ne 'TIME' || $result->{$name} > 0);
}

sub count {
    my ($result, @fields) = @_;
    return if @fields < 3;
    @{$result}{qw(count timebase)} = map { number($_) } @fields[ 0, 1 ];
    $result->{label} = plain($fields[2]);
    return !grep { !defined || $_ < 0 } @{$result}{qw(count timebase)};
}

sub start {
    my ($result, $period, @fields) = @_;
    return if $period !~ /^[a-z]{1,20}\z/;
    return ($result->{start}{$period}, $result->{starts}{$period}) = percentiles(@fields);
}

# What the parentheses of the pattern match in the fields
sub text {
    my ($name, $pattern, $result, @fields) = @_;
    return join(q{|}, @fields) =~ $pattern && length($result->{$name} = $1);
}

# references: [ { loop => rate per second } ], before the timed part, if the program warmed up, and
# after it
sub reference {
    my ($result, @fields) = @_;
    my $rates = set_of(@fields) or return;
    return push @{ $result->{references} }, $rates;
}

# p50|p90|p99|p99.9|max|histogram -> (numbers, histogram), or nothing
sub percentiles {
    my (@fields) = @_;
    my $histogram = pop @fields;
    my $numbers = numbers(5, @fields);
    return $numbers && length $histogram && is_histogram($histogram) ? ($numbers, $histogram) : ();
}

# name=number ... -> { name => number }, or undef
sub set_of {
    my (@fields) = @_;
    my %seen = map { /^(\w+)=(.*)$/ ? ($1 => $2 eq '-' ? undef : number($2)) : () } @fields;
    return keys %seen == @fields ? \%seen : undef;
}

# paused, paused_cpu: seconds of all pauses of the timed part, and of their CPU time; neither is in
# time and cpu.  within: two readings as those of references, of the loops that run in these
# pauses, the geometric means of every other pause, and of those between; missing where there were
# under LEAST_PAUSES of each.  From seconds|CPU seconds|name=rate,... of each pause|...
sub pauses {
    my ($result, $seconds, $cpu, @fields) = @_;
    my %rates =
        map { /^(\w+)=([1-9]\d*(?:,[1-9]\d*)*)\z/a ? ($1 => [ split /,/, $2 ]) : () } @fields;
    my $times = numbers(2, $seconds, $cpu // q{});
    return if !$times || !%rates || keys %rates != @fields;
    @{$result}{qw(paused paused_cpu)} = @{$times};
    return 1 if grep { @{$_} < 2 * LEAST_PAUSES } values %rates;
    for my $name (keys %rates) {
        my @rates = @{ $rates{$name} };
        for my $first (0, 1) {
            my @half = @rates[ grep { $_ % 2 == $first } 0 .. $#rates ];
            $result->{within}[$first]{$name} = geometric_mean(@half);
        }
    }
    return 1;
}

sub reason {
    my ($field, $result, @parts) = @_;
    my $text = join q{|}, @parts;
    $result->{$field} = plain($text);
    return length $text;
}

sub parse {
    my ($text) = @_;
    if (length $text && substr($text, -1) ne "\n") {
        my $last = substr $text, 1 + rindex $text, "\n";
        return { error => 'the test printed an incomplete line: ' . plain($last) };
    }
    my %result;
    for my $line (grep { length($_) } split /\n/, $text) {
        my ($key, @fields) = split /\|/, $line, -1;
        return { error => 'the test printed: ' . plain($line) } if !@fields;
        my $read =
              $NUMBERS{$key} ? add_numbers(\%result, $key, @fields)
            : $LINE{$key}    ? $LINE{$key}->(\%result, @fields)
            :                  1;
        return { error => 'the test printed a malformed line: ' . plain($line) } if !$read;
    }
    for my $reason (qw(error skip)) {
        return { $reason => $result{$reason} } if defined $result{$reason};
    }
    return { error => 'the test printed no COUNT line' } if !defined $result{count};
    return { error => 'the test created nothing' } if $result{count} == 0;
    return \%result;
}

sub stored {
    my ($text) = @_;
    return [
        grep { /^(?!PROGRESS|SKIP|ERROR)(\w+)[|]/ && ($NUMBERS{$1} || $LINE{$1}) } split /\n/, $text
    ];
}

sub parse_stored {
    my ($text) = @_;
    my $result = parse("$text\n");
    die 'a pass: ', $result->{error} // $result->{skip}, "\n" if !defined $result->{count};
    return $result;
}

sub rate_of {
    my ($copies, $elapsed, $window) = @_;
    my $base = $copies->[0]{timebase};
    if ($window) {
        my ($made, $time) = @{$window}{ $window->{made} ? qw(made length) : qw(total outer) };
        return $made / $time * ($base || 1);
    }
    my $count = sum(map { $_->{count} } @{$copies});
    return $count if $base == 0;
    my $time = sum(map { $_->{time} // $elapsed } @{$copies}) / @{$copies};
    return $count / $time * $base;
}

# ---- the copies of a pass ----
#
#   together([results], number of CPUs that the copies share, seconds of the pass) -> { rate, unit,
#       results, window } of a pass record, with the gate_spread or apart of its machine.  Removes
#       the progress from the results

use constant COPIES_STORED => 64;    # of more the first ones stand for all

sub together {
    my ($copies, $cpus, $wall) = @_;
    my $window = @{$copies} > 1 ? common_window($copies) : undef;
    delete $_->{progress} for @{$copies};
    return {
        rate    => rate_of($copies, $wall, $window),
        unit    => $copies->[0]{label},
        results => [ @{$copies}[ 0 .. min($#{$copies}, COPIES_STORED - 1) ] ],
        machine => { $window ? overlap($copies, $window, $cpus) : () },
        $window ? (window => { map { $_ => rounded(6, $window->{$_}) } keys %{$window} }) : (),
    };
}

# Up to one copy for each CPU all can start at once: the spread of the starts.  Of more, the
# last one starts when it gets a turn: the share of the pass in which not all ran.
sub overlap {
    my ($copies, $window, $cpus) = @_;
    my $time = mean(map { $_->{time} } @{$copies});
    return @{$copies} <= ($cpus || 1)
        ? (gate_spread => rounded(4, $window->{spread} / $time))
        : (apart => rounded(4, 1 - $window->{length} / $time));
}

sub rounded { my ($digits, $value) = @_; return sprintf("%.${digits}f", $value) + 0 }

# ---- the time that all copies share ----
#
# Only the time in which all copies ran counts.  While some have not started or have already ended,
# the others are faster, so rates of the copies' own times must not be added up.
#
#   common_window([results of the copies of a pass]) -> { length => seconds in which all ran,
#       negative where there is no such time; made => iterations in it (for a test whose count
#       is an amount per second: the amount), missing where there is no such time; outer =>
#       seconds from the first start to the last end; total => what was made in these; spread
#       => seconds from the first start to the last one }, or undef where a copy does not say
#       when it started
#
# Between two points of its progress a copy is taken to be steady; a copy without progress, from
# its start to its end.  So a share of an iteration can count.

sub common_window {
    my ($results) = @_;
    return if grep { !defined $_->{gate} || !$_->{time} } @{$results};
    my @starts = map { $_->{gate} } @{$results};
    my @ends = map { $_->{gate} + $_->{time} } @{$results};
    my ($first, $from, $to, $last) = (min(@starts), max(@starts), min(@ends), max(@ends));
    my %window = (length => $to - $from, outer => $last - $first, spread => $from - $first);
    $window{total} = sum(map { amount($_) * creations_of($_) } @{$results});
    $window{made} =
        sum(map { amount($_) * (made_until($_, $to) - made_until($_, $from)) } @{$results})
        if $to > $from;
    return \%window;
}

# The amount of one iteration, where the count is not that of iterations
sub amount {
    my ($copy) = @_;
    return 1 if $copy->{timebase};
    return $copy->{count} * $copy->{time} / creations_of($copy);
}

# Iterations of a copy until this reading of the clock
sub made_until {
    my ($copy, $clock) = @_;
    my ($at, $made) = ($copy->{gate}, 0);
    my @steps =
        defined $copy->{progress}
        ? map({ /(.+):(.+)/ ? [ $1 * 1e-6, $2 ] : () } split /,/, $copy->{progress})
        : [ $copy->{time}, creations_of($copy) ];
    for my $step (@steps) {
        my ($seconds, $more) = @{$step};
        return $made + $more * ($clock - $at) / $seconds if $clock < $at + $seconds;
        $at   += $seconds;
        $made += $more;
    }
    return $made;
}

1;
