# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Sweep;

# A sweep, or a published experiment beside its repetition, as pictures and tables of a page.
#
#   swept([figures of Report::Plot], [ { run, analysis } of each part]) -> HTML
#   drawn(figure of Report::Plot) -> picture of Report::Chart
#   answer(run, analysis) -> what the sweep says, in a sentence
#   claims(claims of Analysis::Points) -> HTML: a list with the verdict on each

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(max);
use SpawnMeter::Analysis::Quantity     qw(words_of);
use SpawnMeter::Report::Chart          qw(INKS rows xy);
use SpawnMeter::Report::Scale          qw(scale);
use SpawnMeter::Report::Escape         qw(html prose);
use SpawnMeter::Report::HTML::Page     qw(simple_table);
use SpawnMeter::Report::HTML::Pictures qw(anchor figure);
use SpawnMeter::Report::Published      qw(in_words);
use SpawnMeter::Util::Format           qw(duration percent signed_duration);

use constant STRAIGHT => 0.9;    # R2 above which a line describes the points

our @EXPORT_OK = qw(swept drawn answer claims);

sub swept {
    my ($figures, $sides) = @_;
    my $html = q{};
    for my $side (@{$sides}) {
        my ($run, $analysis) = @{$side}{qw(run analysis)};
        my $id = anchor($run->{sweep}{name});
        $html .= qq{<h2 id="$id">} . prose(answer($run, $analysis)) . "</h2>\n";
        $html .= join q{}, map { figure(drawn($_), $_->{caption} . marks($_)) }
            grep { $_->{sweep} eq $run->{sweep}{title} } @{$figures};
        $html .= table($run->{sweep}, $analysis->{points});
    }
    return $html;
}

sub marks {
    my ($figure) = @_;
    my @marks = '. A vertical or horizontal line is the 95 % interval';
    push @marks, 'hollow: disturbed' if grep             { $_->{disturbed} } @{ $figure->{dots} };
    push @marks, 'squares and dashes: published' if grep { $_->{published} } @{ $figure->{series} };
    push @marks, 'dashed lines: the interval of the slope'
        if grep { $_->{ends} } @{ $figure->{series} };
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
    my $published = exists $sweep->{published} ? $sweep->{published} : {};    # keys are locked
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
    my $is_log = $figure->{form} eq 'log';
    my @series = map { one_series($figure, $_, $is_log) } @{ $figure->{series} };
    my (undef, undef, $axis, undef, $words) = @{ $figure->{arguments} };
    return xy(
        alt    => alternative($figure),
        x      => scale(@{ $figure->{x} }, log => $figure->{log}, ticks => $figure->{xticks}),
        y      => scale(@{ $figure->{y} }, log => $is_log, ticks        => $figure->{yticks}),
        series => \@series,
        words  => [ ucfirst $axis, ucfirst +($words =~ s/,.*//r) . '; lower is better' ],
        height => max(260, 14 * @series),
    );
}

# A value of 0 has no place on a logarithmic axis, and no line leads to it
sub one_series {
    my ($figure, $series, $is_log) = @_;
    my $ink = defined $series->{ink} ? $series->{ink} : 0;
    my @points = map { {
        x      => $_->{at}[0],
        y      => $_->{at}[1],
        low    => $_->{at}[2],
        high   => $_->{at}[3],
        hollow => $_->{disturbed},
        apart  => $figure->{broken} && $_->{x} <= 0
    } } grep { $_->{series} eq $series->{name} } @{ $figure->{dots} };
    my @lines;
    if (my $line = $series->{line}) {
        my ($from, $to) = @{$line};
        push @lines, [ @{$from}, @{$to} ],
            map { [ @{$from}, $to->[0], $_, 'thin' ] } @{ $series->{ends} };
    }
    return {
        name   => defined $series->{title} ? $series->{title} : $series->{name},
        ink    => $ink,
        square => $series->{published},
        dashed => $series->{published},
        joined => $is_log || $series->{published},
        lines  => \@lines,
        points => \@points,
    };
}

# Of one value the methods are the rows
sub by_name {
    my ($figure) = @_;
    my %of = map { $_->{name} => $_ } @{ $figure->{series} };
    my $grouped = @{ $figure->{series} } > 1;
    my @rows;
    for my $tick (@{ $figure->{yticks} }) {
        my @own = grep { row_of($_) == $tick->[0] } @{ $figure->{dots} };
        push @rows, { head => $tick->[1] } if $grouped && @own;
        my @names = $grouped ? row_names(map { $_->{series} } @own) : ($tick->[1]) x @own;
        push @rows, map { {
            name  => shift @names,
            text  => duration($_->{time}),
            marks => [ {
                dot    => $_->{time},
                range  => [ @{$_}{qw(low high)} ],
                hollow => $_->{disturbed},
                square => $of{ $_->{series} }{published},
                class  => 'k' . ($of{ $_->{series} }{ink} || 0) % INKS
            } ],
        } } @own;
    }
    return rows(
        alt     => alternative($figure),
        scale   => scale(@{ $figure->{x} }, log => $figure->{log}, ticks => $figure->{xticks}),
        rows    => \@rows,
        columns => [ 34, 18 ],
        words   => ucfirst +($figure->{arguments}[4] =~ s/,.*//r) . '; shorter is better'
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

# The place of a row; its series stand a little above and below it
sub row_of { my ($dot) = @_; return sprintf '%.0f', $dot->{at}[1] }

sub alternative {
    my ($figure) = @_;
    my @dots = sort { $a->{time} <=> $b->{time} } @{ $figure->{dots} };
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
