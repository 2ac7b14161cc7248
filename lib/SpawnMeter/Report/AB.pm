# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB;

# An ab run in one of its forms.
#
#   render(form, summary of Analysis::Pairs, run, brief => true for a text without explanations)
#       -> text.  form: text (72 columns, for mails), markdown, csv or json
#   side(side record, run or undef) -> what the side is, in words, with the options that the
#       run gives to both
#   change(ratio) -> "+1.25%", or with one decimal from 10 % on
#   interval(row) -> "-0.43..+1.10" in %, or "-"
#   compared(row) -> (rates of A and B, change, interval, verdict), in words
#   costs(row) -> (CPU time of a creation of A and of B, p50 of A and of B, p99 of A and of B):
#       microseconds, undefined where unknown

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape        qw(ascii csv_line known markdown);
use SpawnMeter::Report::Text::Quality qw(by_copies first_column);
use SpawnMeter::Util::Format          qw(copies duration folded percent rate time_left);
use SpawnMeter::Util::File            qw(pretty);

our @EXPORT_OK = qw(change compared costs interval side);

my %RENDER = (
    text     => \&text_of_ab,
    markdown => \&markdown_table,
    csv      => \&csv,
    json     => \&json,
);

sub render {
    my ($form, @arguments) = @_;
    return $RENDER{$form}->(@arguments);
}

# ---- json and csv ----

my @COSTS = map { ("$_\_a", "$_\_b") } qw(cpu_us p50_us p99_us);
my @FIELDS = (
    qw(copies test title unit a b ratio low high plus_minus verdict why pairs used
        flagged effective correlation seconds needed reached), @COSTS
);

sub json {
    my ($summary, $run) = @_;
    return pretty({
        sides     => [ map { { %{$_} } } @{ $summary->{sides} } ],
        precision => $summary->{precision},
        rows      => [ map { json_row($_) } @{ $summary->{rows} } ],
        map { $_ => $run->{$_} } qw(name host command label suite system started complete reason),
    });
}

sub json_row {
    my ($row) = @_;
    my %fields = map { $_ => $row->{$_} } @FIELDS;
    for my $side (qw(a b)) {
        $fields{$side} = $row->{$side} ? $row->{$side}{rate} : undef;
    }
    @fields{@COSTS} = costs($row);
    return \%fields;
}

sub csv {
    my ($summary) = @_;
    my $csv = csv_line(@FIELDS);
    for my $row (map { json_row($_) } @{ $summary->{rows} }) {
        $csv .= csv_line(map { defined $_ ? ascii($_) : undef } @{$row}{@FIELDS});
    }
    return $csv;
}

# ---- markdown: what the sides are, and a table ----

sub markdown_table {
    my ($summary, $run) = @_;
    my $text = join q{},
        map { '- **' . markdown($_->{name}) . '**: ' . markdown(side($_, $run)) . "\n" }
        @{ $summary->{sides} };
    my @heads =
        (qw(test copies A B B/A), '95 %', 'verdict', map { ("$_ A", "$_ B") } qw(CPU p50 p99));
    my @rows = map {
        [ markdown($_->{title}), $_->{copies}, compared($_), map { duration($_) } costs($_) ]
    } @{ $summary->{rows} };
    my ($head, @lines) = map { '| ' . join(' | ', @{$_}) . " |\n" } \@heads, @rows;
    $text .= join q{}, "\n$head", '|---|' . '--:|' x 5 . '---|' . '--:|' x 6 . "\n", @lines;
    return $text if $run->{complete};
    return "$text\nIncomplete: " . markdown(defined $run->{reason} ? $run->{reason} : '?') . "\n";
}

# ---- parts ----

sub side {
    my ($side, $run) = @_;
    my @options = map { @{ $_->{options} || [] } } grep { $_ } $run, $side;
    my @parts;
    push @parts, "after: $side->{set}" if defined $side->{set};
    push @parts, 'started by: ' . join q{ }, @{ $side->{wrap} } if $side->{wrap};
    push @parts, "programs in $side->{programs}" if defined $side->{programs};
    push @parts, join q{ }, @options if @options;
    return @parts ? join '; ', @parts : 'as it is';
}

sub change { my ($ratio) = @_; return number($ratio) . q{%} }

sub number {
    my ($ratio) = @_;
    my $percent = 100 * ($ratio - 1);
    my $decimals = abs $percent < 9.995 ? 2 : abs $percent < 999.5 ? 1 : 0;
    my $text = sprintf "%+.${decimals}f", $percent;
    return $text eq '-0.00' ? '+0.00' : $text;
}

use constant MOST => 10.99;    # a ratio that is printed

sub interval {
    my ($row) = @_;
    return q{-} if !defined $row->{low};
    return join '..', map { $_ > MOST ? '>+999' : number($_) } @{$row}{qw(low high)};
}

sub compared {
    my ($row) = @_;
    return (
        map({ rate($_ ? $_->{rate} : undef, $row->{unit}) } @{$row}{qw(a b)}),
        defined $row->{ratio} ? change($row->{ratio}) : q{-},
        interval($row), $row->{verdict}
    );
}

sub costs {
    my ($row) = @_;
    my @sides = map { $_ || {} } @{$row}{qw(a b)};
    my @latency = map { $_->{latency} || [] } @sides;
    return (map({ $_->{cpu_us} } @sides), map({ $_->[0] } @latency), map { $_->[2] } @latency);
}

# ---- text ----

use constant {
    WIDTH   => 72,
    LINE    => "%-11s %9s %9s %7s %14s  %s\n",
    COSTS   => "%-11s" . ' %9s' x 6 . "\n",
    DAY     => 86_400,
    HOUR    => 3600,
    STARS   => q{*} x 60 . "\n",
    PRESENT => 0.1,                              # correlation that is reported
};

sub text_of_ab {
    my ($summary, $run, %with) = @_;
    my $text = q{};
    for my $side (@{ $summary->{sides} }) {
        $text .= folded(ascii("  $side->{name}: "), ascii(side($side, $run)), WIDTH);
    }
    $text .= folded('  Set back by: ', ascii($run->{set_back}), WIDTH) if defined $run->{set_back};
    my @rows = @{ $summary->{rows} };
    return $text . "\nNothing was measured.\n" if !@rows;
    $text .= table(@{$_}) for by_copies(@rows);
    my $passes = $run->{protocol}{turns} ? 'passes in turns' : 'neighbouring passes';
    $text .= explanation($passes) if !$with{brief};
    return $text . "\n" . ended($summary) . notes(@rows) . incomplete($run);
}

sub table {
    my ($copies, @rows) = @_;
    return join q{}, "\n", sprintf(LINE, copies($copies), qw(A B B/A), '95 %', 'verdict'),
        map({ sprintf LINE, first_column(ascii($_->{test})), compared($_) } @rows),
        "\n", sprintf(COSTS, copies($copies), map { ("$_ A", 'B') } qw(CPU p50 p99)), map {
        sprintf COSTS, first_column(ascii($_->{test})),
            map { duration($_) }
            costs($_)
        } @rows;
}

sub explanation {
    my ($passes) = @_;
    return <<"END";

A, B: medians.  B/A: mean difference of the rates of $passes
(logarithms); + is faster.  95 %: its interval, in %; all intervals
hold together in 95 %, and verdicts are read off them (same: within the
precision).  CPU: of one process; p50, p99: percentiles of its time.
END
}

my %ENDED = (
    stopped => 'The run is not complete',
    pairs   => 'All pairs were measured (-i)',
    time    => 'Time was up',
);

# Which tests reached the precision, and what it would take for the others
sub ended {
    my ($summary) = @_;
    my $within = sprintf '+/-%g %%', 100 * $summary->{precision};
    my @known = grep { defined $_->{plus_minus} } @{ $summary->{rows} };
    my @open = grep { !$_->{reached} } @known;
    my $stopped = $summary->{ended} eq 'stopped';
    my $few =
        !$stopped && (grep { !defined $_->{plus_minus} && !$_->{lost} } @{ $summary->{rows} })
        ? "Too few pairs: take a longer --max-time or --max-total, or a larger -i;\n"
        . "--resume goes on with these.\n"
        : q{};
    return $few if !@known;
    my $all = $stopped ? 'all measured differences' : 'all differences';
    return "${few}Precision reached: $all are known within $within.\n" if !@open;
    my $text = $few . sprintf "%s: %d of %d differences are not known within %s.\n",
        $ENDED{ $summary->{ended} }, scalar @open, scalar @known, $within;
    my $needed = 0;
    for my $row (@known) { $needed += $row->{reached} ? $row->{seconds} : $row->{needed} }

    for my $row (@open) {
        my $words = sprintf '%s, %s: +/-%s after %s; %s would take %s',
            ascii($row->{test}), copies($row->{copies}), percent($row->{plus_minus}),
            minutes($row->{seconds}), $within, estimate($row->{needed});
        $text .= folded(q{  }, $words, WIDTH, q{    });
    }
    return $text . "All of them would take " . estimate($needed) . ".\n";
}

sub minutes {
    my ($seconds) = @_;
    return sprintf '%.0f s', $seconds if $seconds < 99.5;
    return sprintf '%.1f hours', $seconds / HOUR if $seconds >= HOUR;
    return time_left($seconds) . ' minutes';
}

sub estimate {
    my ($seconds) = @_;
    return $seconds > DAY ? 'more than a day' : 'about ' . minutes($seconds);
}

# Drift that is left in the differences, pairs that were disturbed, and tests without a verdict
sub notes {
    my (@rows) = @_;
    my $text = q{};
    for my $row (@rows) {
        my $name = ascii($row->{test}) . ', ' . copies($row->{copies});
        my @words;
        push @words, sprintf 'neighbouring pairs are correlated by %.1f; %d are worth %.0f',
            @{$row}{qw(correlation used effective)}
            if defined $row->{correlation} && $row->{correlation} >= PRESENT;
        push @words, ascii($row->{why})
            if defined $row->{why} && ($row->{lost} || !defined $row->{ratio});
        $text .= folded('! DISTURBED: ', "$name: $row->{flagged} of $row->{pairs} pairs", WIDTH)
            if $row->{disturbed};
        my @busy = grep { defined } map { $_->{busy} } grep { $_ } @{$row}{qw(a b)};
        $text .=
            folded('! BUSY: ', "$name: other processes used CPUs that the copies needed", WIDTH)
            if @busy;
        $text .= folded(q{}, "$name: $_", WIDTH, q{  }) for @words;
    }
    return $text;
}

sub incomplete {
    my ($run) = @_;
    return q{} if $run->{complete};
    return STARS . folded(q{}, 'INCOMPLETE: ' . ascii(known($run->{reason})), WIDTH) . STARS;
}

1;
