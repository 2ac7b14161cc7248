# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Published;

# A published experiment beside its repetition.
#
#   text(experiment, found and claims of SpawnMeter::Analysis::Points) -> text
#   claims(experiment, claims) -> their part of it, below the name of the experiment
#   in_words(claim that is judged) -> what it says, and what was found here
#   counts(claims) -> a line: how many agree, differ ...

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max);
use SpawnMeter::Analysis::Quantity qw(words_of);
use SpawnMeter::Util::Format       qw(duration folded percent rate signed_duration visible);

our @EXPORT_OK = qw(text claims counts in_words);

use constant { WIDTH => 78, CELL => 9 };    # columns

sub text {
    my ($experiment, $found, $claims) = @_;
    my @also = @{ $experiment->{also} };
    return join q{}, q{-} x 72, "\n", visible($experiment->{title}), "\n\n",
        (map { line("$_->[0]: ", $_->[1]) } @{ $experiment->{about} }),
        (map { table($_) } @{ $found->{sides} }),
        @also ? "\nAlso published:\n" : (),
        (map { line(q{  }, "$_->[0]: " . join ', ', @{$_}[ 1 .. $#{$_} ]) } @also),
        claims($experiment, $claims);
}

sub line {
    my ($mark, $text) = @_;
    return folded(visible($mark), visible($text), WIDTH, q{   });
}

# The values in columns; below each series what was published of it
sub table {
    my ($side) = @_;
    my ($sweep, $points) = ($side->{run}{sweep}, $side->{analysis}{points});
    my @series = grep { $points->{$_} } @{ $sweep->{series} } or return q{};
    my $is_rate = ($sweep->{quantity} || q{}) eq 'rate';
    my @labels = @{ $sweep->{values} };
    my @widths = (max(map { length } @series), max(CELL, map { length } @labels));
    my $columns = max(1, int((WIDTH - $widths[0]) / ($widths[1] + 1)));
    my $unit = $is_rate ? 'processes per second' : words_of($sweep->{quantity});
    my $text = "\n" . line(q{}, "$sweep->{title}: $unit");

    while (my @shown = splice @labels, 0, $columns) {
        $text .= "\n" . row(@widths, q{}, @shown);
        for my $series (@series) {
            my @points = map { $points->{$series}{$_} } @shown;
            next if !grep { $_ } @points;
            $text .= row(@widths, $series, map { figure($_, $is_rate) } @points);
            $text .= row(@widths, '  +/-', map { spread($_) } @points)
                if grep { $_ && defined $_->{plus_minus} } @points;
        }
    }
    return $text;
}

sub row {
    my ($first, $width, $name, @cells) = @_;
    my $text = sprintf '%-*s', $first, $name;
    $text .= sprintf ' %*s', $width, $_ for @cells;
    return visible($text =~ s/ +\z//r) . "\n";
}

sub figure {
    my ($point, $is_rate) = @_;
    return $point   ? $point->{status}                     : q{} if !$point || !$point->{time_us};
    return $is_rate ? rate(1e6 / $point->{time_us}, 'lps') : duration($point->{time_us});
}

sub spread {
    my ($point) = @_;
    return q{} if !$point || !$point->{time_us};
    return percent($point->{plus_minus}) . ($point->{disturbed} ? q{!} : q{});
}

sub claims {
    my ($experiment, $claims) = @_;
    return join q{},
        @{$claims} ? "\n" . line(q{}, "Claims of $experiment->{name}: $experiment->{title}") : (),
        map { $_->{kind} ? judged($_) : "\n" . line(q{  }, $_->{words}) } @{$claims};
}

sub judged {
    my ($claim) = @_;
    return folded(sprintf('    %-13s ', $claim->{verdict}), visible(in_words($claim)), WIDTH);
}

sub in_words {
    my ($claim) = @_;
    my ($here, @ends) = map { amount($claim, $_) } @{ $claim->{here} || [] };
    my @parts = grep { defined } $claim->{why}, $here;
    $parts[0] .= @ends ? " ($ends[0] to $ends[1])" : ' (too few passes)' if defined $here;
    my ($published) = grep { defined } $claim->{quoted}, amount($claim, $claim->{published});
    push @parts, "published $published" if defined $published;
    return "$claim->{words}: " . join ', ', @parts;
}

sub amount {
    my ($claim, $value) = @_;
    return $value if !defined $value;
    return signed_duration($value) if $claim->{kind} eq 'slope';
    return $value < 10 ? sprintf('%.2f', $value) : sprintf('%.1f', $value);
}

sub counts {
    my %number;
    $number{ $_->{verdict} }++ for grep { $_->{kind} } @_;
    return join q{}, "\n", map          { "$_: $number{$_}\n" } sort keys %number;
}

1;
