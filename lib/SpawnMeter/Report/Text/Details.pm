# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Details;

# What a text report says with -v of the results at one number of copies: best pass, CPU time and
# latency of each, what is known of the parts of a creation, and how the machine moved.
#
#   details(block) -> text; empty without passes
#   parts(results) -> the tables of parts alone: of the target's start-up, and a line for each
#       result with the time of a write to a copied page.  They are measured where the user asks
#   remarks(block) -> lines: drift, reference loops, outliers

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Quantity    qw(periods);
use SpawnMeter::Report::Text::Quality qw(item_list);
use SpawnMeter::Util::Format          qw(duration rate);

our @EXPORT_OK = qw(details parts remarks);

use constant {
    NAME  => 11,    # columns of a test's name; a longer one has a line of its own
    TIME  => 8,
    BEST  => 10,    # of a rate
    PARTS => 37,    # columns up to the first percentile
};

my @PERCENTILES = qw(p50 p90 p99 p99.9 max);

sub details {
    my ($block) = @_;
    my @results = grep { $_->{used} } @{ $block->{results} };
    return q{} if !@results;
    my $text = sprintf '%-*s%*s' . '%*s' x 6, NAME, 'test', BEST, 'best', map { (TIME, $_) } 'CPU',
        @PERCENTILES;
    $text .= "\n";
    $text .= row($_) for @results;
    my @blocked = grep { $_->{stall} } @results;
    $text .= head('The creating call, in the parent') if @blocked;
    $text .= times_of($_->{test}, $_->{stall}) for @blocked;
    return $text . join(q{}, remarks($block)) . "\n";
}

sub row {
    my ($result) = @_;
    my ($name, $text) = ($result->{test}, q{});
    ($name, $text) = (q{}, "$name\n") if length $name > NAME;
    my @times = map { duration($_) } $result->{cpu_us},
        @{ $result->{latency} || [ (undef) x @PERCENTILES ] };
    return $text . sprintf '%-*s%*s' . '%*s' x @times . "\n", NAME, $name, BEST,
        best($result->{floor}), map { (TIME, $_) } @times;
}

# In the unit of RESULT, so that a row has one unit
sub best {
    my ($rate) = @_;
    return q{-} if !defined $rate;
    my $text = sprintf '%.1f', $rate;
    return length $text < BEST ? $text : sprintf '%.0f', $rate;
}

sub parts {
    my (@results) = @_;
    my @started = grep { $_->{start} } @results;
    my $text = @started ? head('The start-up of the target') : q{};
    for my $result (@started) {
        $text .= times_of("$result->{test} $_", $result->{start}{$_})
            for grep { $result->{start}{$_} } periods();
    }
    $text .= fault($_) for grep { $_->{fault} } @results;
    return length $text ? "$text\n" : q{};
}

sub head {
    my ($title) = @_;
    return sprintf "%-*s%s\n", PARTS, $title,
        join q{ }, map { sprintf '%*s', TIME - 1, $_ } @PERCENTILES;
}

sub times_of {
    my ($name, $times) = @_;
    return sprintf "%-*s%s\n", PARTS, $name,
        join q{ }, map { sprintf '%*s', TIME - 1, duration($_) } @{$times};
}

sub fault {
    my ($result) = @_;
    my ($parent, $child) = map { duration($_) } @{ $result->{fault} };
    return "$result->{test}: a write to a copied page takes $parent in the parent, "
        . "$child in the child\n";
}

sub remarks {
    my ($block) = @_;
    my @outliers = grep { $_->{outliers} } @{ $block->{results} };
    return (
        drift($block->{drift}),
        reference($block->{reference}),
        item_list('outliers (kept)', map { "$_->{test} $_->{outliers}" } @outliers),
    );
}

# In one line, how much of the intervals comes from drift
sub drift {
    my ($of) = @_;
    return if !$of;
    return
        sprintf "drift: neighbouring passes are correlated by %.1f; %.0f passes are worth %.0f\n",
        @{$of}{qw(correlation used effective)};
}

# What the machine did meanwhile, in one line
sub reference {
    my ($of) = @_;
    return if !$of;
    my $text = "reference: $of->{words} " . rate($of->{rate});
    $text .= sprintf ', moved by %.0f %% during the run', 100 * $of->{moved}
        if defined $of->{moved};
    return "$text\n";
}

1;
