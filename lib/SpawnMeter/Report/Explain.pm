# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Explain;

# What a creation costs, and where its time goes.
#
#   render(model of SpawnMeter::Analysis::CostModel, of whose tables it may have the width) -> text
#       of at most 78 columns: a sentence for
#       each of its findings, then the model as a table
#   explained(model) -> page of Report::HTML: the parts of a creation, and the targets
#   parts(model) -> HTML: the picture of the former

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::CostModel   qw(terms);
use SpawnMeter::Report::Curve         qw(between drawn table table_of time_of_point);
use SpawnMeter::Report::Chart         qw(INKS rows);
use SpawnMeter::Report::Text::Quality qw(in_lines warnings);
use SpawnMeter::Util::Format          qw(duration folded percent);

our @EXPORT_OK = qw(explained parts);

use constant WIDTH => 78;

my $MEANING =
      'Cost model: what one process takes, and what each of these adds to that, with its 95 % '
    . 'interval.  none: under 5 % of the base time; <: no more than that, and perhaps nothing; ?: '
    . 'too few passes.';

my $NEXT = "\nWhat another kernel, or one of its options, changes: ./Run kernels\n";

sub render {
    my ($model) = @_;
    my @sentences = map { sentence($_) } @{ $model->{findings} };
    @sentences = ('These figures support no conclusion.') if !@sentences;
    my $text = "Conclusions\n\n" . join q{}, map { folded(q{  }, $_, WIDTH) } @sentences;
    my $doubts = join q{}, in_lines(doubts($model));
    $text .= "\n$doubts" if length $doubts;
    $text .= join q{}, "\n", folded(q{}, $MEANING, WIDTH), "\n",
        table($model->{width}, [ q{}, 'base', terms() ], map { costs($_) } @{ $model->{methods} });
    $text .= "\nTime of one process, by target\n\n"
        . table_of(
        { %{ $model->{target}{sweep} }, width => $model->{width} },
        $model->{target}{points},
        \&time_of_point
        ) if $model->{target};
    my @missing = @{ $model->{missing} };
    $text .= "\n" . folded(q{}, "Sweeps that were not measured: @missing", WIDTH) if @missing;
    return $text . $NEXT;
}

sub doubts { my ($model) = @_; return warnings('points of these sweeps', @{ $model->{points} }) }

sub sentence {
    my ($finding) = @_;
    my $text = q{};
    for (@{$finding}) {
        my ($words, $values) = @{$_};
        $text .= $words =~ s/[{](\w+)(.*?)[}]/in_words($values, $1, $2)/ger;
    }
    return "$text.";
}

sub in_words {
    my ($values, $name, $form) = @_;
    my $value = $values->{$name};
    return duration($value) if !length $form;
    return between($value, $values->{$1}) if $form =~ /^-(.*)/;
    return join $1, map { "$_->[0] " . duration($_->[1]) } @{$value} if $form =~ /^[|](.*)/;
    return sprintf $form, $value;    ## no critic (ProhibitFormats) -- of Analysis::CostModel
}

# -> [method, base, cost for each term]
sub costs {
    my ($method) = @_;
    my $base = defined $method->{base} ? duration($method->{base}) : q{};
    return [ $method->{method}, $base, map { cost($method->{terms}{$_}) } terms() ];
}

sub cost {
    my ($term) = @_;
    return q{-} if !$term;
    my ($slope, $high) = @{$term}{qw(slope high)};
    return q{?} if !defined $high;
    return duration($slope) . ' +/-' . percent(($high - $slope) / $slope)
        if $term->{verdict} eq 'adds';
    return $term->{verdict} eq 'none' ? 'none' : '<' . duration($high);
}

# ---- pages ----

# The title is the first conclusion, where most points carry it
sub explained {
    my ($model) = @_;
    my @points = @{ $model->{points} };
    my $is_open = 2 * (grep { $_->{disturbed} } @points) > @points;
    my $target = $model->{target};
    my ($first) = $is_open ? () : map { sentence($_) } @{ $model->{findings} };
    my ($title) = ($first // q{}) =~ /\A(.+?)(?: [(]|[:;.](?: |\z))/s;
    return {
        title    => $title // 'What a process costs here, and why',
        about    => 'What a creation costs, and where its time goes, from sweeps of this machine.',
        picture  => parts($model) . ($target ? drawn({ sweep => $target->{sweep} }, $target) : q{}),
        findings => [ doubts($model) ],
    };
}

# -> picture: of each way the whole as one bar of many colours, and below it each part in its place,
# which is behind the one before
sub parts {
    my ($model) = @_;
    my @rows;
    for (@{ $model->{parts} }) {
        my ($head, @parts) = @{$_};
        my $end = 0;
        my @bars;
        for my $part (@parts) {
            push @bars, [ $end, $end + $part->{us}, 'k' . @bars % INKS ];
            $end += $part->{us};
        }
        my @texts =
            map { duration($_->{us}) . sprintf ' (%.0f %%)', 100 * $_->{us} / $end } @parts;
        push @rows, { head => $head }, { name => 'all', text => duration($end), bars => \@bars },
            map { { name => $parts[$_]{words}, text => $texts[$_], bars => [ $bars[$_] ] } }
            0 .. $#bars;
    }
    my $caption =
          'Where the time of one process goes. By posix_spawn, with the time stamps of the program '
        . 'that it starts; and by vfork with exec, measuring more and more of it. Medians, so the '
        . 'parts are approximate.';
    return rows(
        caption => $caption,
        rows    => \@rows,
        label   => \&duration,
        words   => 'Time since the call; shorter is better',
        columns => [ 38, 26 ]
    );
}

1;
