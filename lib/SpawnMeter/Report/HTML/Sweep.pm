# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Sweep;

# A sweep, or a published experiment beside its repetition, as pictures and tables of a page.
#
#   swept({ run, analysis, figures => [those of Report::Plot] } of each part) -> HTML
#   drawn(figure of Report::Plot) -> picture of Report::Chart
#   answer(run, analysis) -> what the sweep says, in a sentence
#   claims(claims of Analysis::Points) -> HTML: a list with the verdict on each

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(max);
use SpawnMeter::Analysis::Quantity     qw(words_of);
use SpawnMeter::Report::Chart          qw(INKS rows xy);
use SpawnMeter::Report::Escape         qw(html prose);
use SpawnMeter::Report::HTML::Page     qw(simple_table);
use SpawnMeter::Report::HTML::Pictures qw(anchor figure);
use SpawnMeter::Report::Sweep          qw(in_words);
use SpawnMeter::Util::Format           qw(duration percent signed_duration);

use constant STRAIGHT => 0.9;    # R2 above which a line describes the points

our @EXPORT_OK = qw(swept drawn answer claims);

sub swept {
    my (@parts) = @_;
    my $html = q{};
    for my $part (@parts) {
        my ($run, $analysis) = @{$part}{qw(run analysis)};
        my $id = anchor($run->{sweep}{name});
        $html .= qq{<h2 id="$id">} . prose(answer($run, $analysis)) . "</h2>\n";
        $html .= join q{},
            map { figure(drawn($_), $_->{caption} . marks($_)) } @{ $part->{figures} };
        $html .= table($run->{sweep}, $analysis->{points});
    }
    return $html;
}

sub marks {
    my ($figure) = @_;
    my @marks = '. A vertical or horizontal line is the 95 % interval';
    my @series = @{ $figure->{series} };
    push @marks, 'hollow: disturbed' if grep { $_->{hollow} } map { @{ $_->{points} } } @series;
    push @marks, 'squares and dashes: published' if grep           { $_->{square} } @series;
    push @marks, 'dashed lines: the interval of the slope' if grep { $_->{lines} } @series;
    return join('; ', @marks) . q{.};
}

# ---- the answer ----

# Of own series, not of what was published; the first one that a straight line describes
sub answer {
    my ($run, $analysis) = @_;
    my $sweep = $run->{sweep};
    my @slopes =
        sort { ($b->{r2} > STRAIGHT) <=> ($a->{r2} > STRAIGHT) }
        grep { defined $_->{r2} && defined $_->{low} && $_->{low} > 0 }
        map  { $analysis->{lines}{$_} ? { %{ $analysis->{lines}{$_} }, name => $_ } : () }
        own($sweep);
    return slope(\@slopes, $sweep, $analysis->{per}) if @slopes;
    my @added =
        sort { $b->{us} <=> $a->{us} }
        grep { defined $_->{low} && $_->{low} > 0 } @{ $analysis->{added} };
    return sprintf '%s: %s adds %s (%s to %s)', @{ $added[0] }{qw(series label)},
        map { signed_duration($_) } @{ $added[0] }{qw(us low high)}
        if @added;
    return extremes($sweep, $analysis->{points});
}

sub own {
    my ($sweep) = @_;
    my $published = $sweep->{published} || {};
    return grep { !$published->{$_} } @{ $sweep->{series} };
}

sub slope {
    my ($slopes, $sweep, $per) = @_;
    my $most = $slopes->[0];
    my ($each) = $per->{words} =~ /^per (.*)/;
    $each .= " ($sweep->{axis})" if $each =~ /\d/;
    return sprintf '%s costs %s for each %s (%s to %s)', $most->{name},
        (map { signed_duration($per->{amount} * $most->{$_}) } 'slope'), $each,
        map { signed_duration($per->{amount} * $most->{$_}) } qw(low high);
}

# Of the series that differs most by what is varied
sub extremes {
    my ($sweep, $points) = @_;
    my @best;
    for my $series (own($sweep)) {
        my @timed =
            sort { $a->[1] <=> $b->[1] }
            map  { [ $_, ($points->{$series}{$_} || {})->{time_us} ] }
            grep { defined(($points->{$series}{$_} || {})->{time_us}) } @{ $sweep->{values} };
        next if @timed < 2;
        my $times = $timed[-1][1] / $timed[0][1];
        @best = ($times, $series, @timed[ 0, -1 ]) if !@best || $times > $best[0];
    }
    return "$sweep->{title}: " . words_of($sweep->{quantity}) if !@best;
    my (undef, $series, $fast, $slow) = @best;
    return sprintf '%s: %s takes %s, and %s takes %s', $series, $fast->[0], duration($fast->[1]),
        $slow->[0], duration($slow->[1]);
}

# ---- pictures ----

sub drawn {
    my ($figure) = @_;
    return $figure->{form} eq 'names' ? by_name($figure) : by_number($figure);
}

sub by_number {
    my ($figure) = @_;
    my @series = @{ $figure->{series} };
    my ($axis, $words) = map { ucfirst } @{ $figure->{words} };
    return xy(
        alt    => alternative($figure),
        x      => $figure->{x},
        y      => $figure->{y},
        series => \@series,
        words  => [ $axis, $words =~ s/,.*//r . '; lower is better' ],
        height => max(260, 14 * @series),
    );
}

# Of one value the methods are the rows
sub by_name {
    my ($figure) = @_;
    my @series = @{ $figure->{series} };
    my @points = map {
        my %of = (square => $_->{square}, class => 'k' . ($_->{ink} || 0) % INKS);
        map { { %{$_}, %of } } @{ $_->{points} }
    } @series;
    my @rows;
    for my $tick (@{ $figure->{y}{ticks} }) {
        my ($row, $name) = @{$tick};
        my @own = grep { $_->{row} == -$row } @points or next;
        my @names = @series > 1 ? row_names(map { $_->{series} } @own) : ($name) x @own;
        push @rows, { head => $name } if @series > 1;
        push @rows, map { {
            name  => shift @names,
            text  => duration($_->{time}),
            marks => [ {
                dot    => $_->{time},
                range  => [ @{$_}{qw(low high)} ],
                hollow => $_->{hollow},
                square => $_->{square},
                class  => $_->{class}
            } ],
        } } @own;
    }
    return rows(
        alt     => alternative($figure),
        scale   => $figure->{x},
        rows    => \@rows,
        columns => [ 34, 18 ],
        words   => ucfirst +($figure->{words}[1] =~ s/,.*//r) . '; shorter is better'
    );
}

# A published series stands below its own one with the name of its machine alone
sub row_names {
    my (@series) = @_;
    my $own = q{};
    my @names;
    for my $series (@series) {
        my ($of, $machine) = $series =~ /^(.+?) [(](.+)[)]\z/;
        push @names, defined $of && $of eq $own ? $machine : $series;
        $own = defined $of ? $of : $series;
    }
    return @names;
}

sub alternative {
    my ($figure) = @_;
    my @dots = sort { $a->{time} <=> $b->{time} } map { @{ $_->{points} } } @{ $figure->{series} };
    return $figure->{caption} . sprintf ': from %s (%s, %s) to %s (%s, %s)',
        map { (duration($_->{time}), @{$_}{qw(series label)}) } @dots[ 0, -1 ];
}

# ---- tables ----

sub table {
    my ($sweep, $points) = @_;
    my @series = grep { $points->{$_} } @{ $sweep->{series} };
    my @rows = map {
        my $label = $_;
        [ $label, map { cell($points->{$_}{$label}) } @series ]
    } @{ $sweep->{values} };
    return simple_table([ ucfirst $sweep->{axis}, @series ], @rows);
}

sub cell {
    my ($point) = @_;
    return q{} if !$point;
    return $point->{status} || q{-} if !defined $point->{time_us};
    my $more = defined $point->{plus_minus} ? ' +/- ' . percent($point->{plus_minus}) : q{};
    return duration($point->{time_us}) . $more . ($point->{disturbed} ? q{!} : q{});
}

sub claims {
    my ($claims) = @_;
    my $html = join q{}, map {
        $_->{kind}
            ? '<li><b>' . html($_->{verdict}) . '</b>: ' . html(in_words($_)) . "</li>\n"
            : '</ul><p>'
            . html($_->{words})
            . "</p><ul>\n"
    } @{$claims};
    $html = "<ul>$html</ul>" =~ s{<ul>\s*</ul>}{}gr;
    return length $html ? qq{<h2 id="claims">Claims</h2>\n$html\n} : q{};
}

1;
