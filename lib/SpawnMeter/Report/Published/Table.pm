# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Published::Table;

# The figures of a published experiment, with those of this machine beside them.
#
#   tables(experiment, parts of SpawnMeter::Analysis::Published::Sides) -> text
#   source(experiment) -> lines: where the figures are from, on which machines, what is unclear
#   also(experiment) -> lines: figures of what is not measured here, and its table

use strict;
use warnings;
use Exporter 'import';
use List::Util                            qw(max min);
use SpawnMeter::Analysis::Quantity        qw(words_of);
use SpawnMeter::Report::Published::Claims qw(figure);
use SpawnMeter::Util::Format              qw(folded percent visible);

our @EXPORT_OK = qw(tables source also);

use constant {
    WIDTH  => 78,    # columns
    BESIDE => 4,     # machines that have a column; more are listed
    COLUMN => 10,
    FIRST  => 30,    # columns of the first column at most
};

sub source {
    my ($experiment) = @_;
    my @lines = (
        (map { [ 'Source', $_ ] } @{ $experiment->{source} }),
        (map { [ 'Address', $_ ] } @{ $experiment->{address} }),
        (map { [ $_->{name}, $_->{words} ] } @{ $experiment->{machines} }),
        (map { [ 'Unclear', $_ ] } @{ $experiment->{unclear} }),
        (map { [ 'Note', $_ ] } @{ $experiment->{notes} }),
    );
    return join q{}, map {
        my ($key, $words) = map { visible($_) } @{$_};
        my $is_long = $words !~ / / && length("$key: $words") > WIDTH;
        $is_long ? "$key:\n   $words\n" : folded("$key: ", $words, WIDTH, q{   })
    } @lines;
}

sub tables {
    my ($experiment, $parts) = @_;
    return join q{}, map { table($experiment, $_) } grep { @{ $_->{rows} } } @{$parts};
}

sub table {
    my ($experiment, $part) = @_;
    my @rows = @{ $part->{rows} };
    my %has = map { $_ => 1 } map { keys %{ $_->{published} } } @rows;
    my @machines = grep { $has{$_} } map { $_->{name} } @{ $experiment->{machines} };
    my @beside = @machines <= BESIDE ? @machines : ();
    my $first = min(FIRST, max(map { length name_of($_) } @rows));
    my $words =
        $part->{measure} eq 'rate'
        ? 'creations per second, of all copies together'
        : words_of($part->{measure});
    my $title = visible("$part->{title}: $words");
    my $text = "\n" . folded(q{}, $title, WIDTH) . "\n" . q{ } x $first;
    $text .= sprintf ' %*s', COLUMN - 1, $_ for 'here', '+/-', map { visible($_) } @beside;
    $text .= "\n";

    for my $row (@rows) {
        $text .= first_column(name_of($row), $first);
        $text .= sprintf ' %*s', COLUMN - 1, $_
            for here($row, $part), map { published($row->{published}{$_}, $part) } @beside;
        $text .= "\n";
    }
    $text .= listed($part, \@rows, \@machines) if !@beside && @machines;
    $text .= "* second-hand\n"
        if grep { $_->{second} } map { values %{ $_->{published} } } @rows;
    return $text =~ s/ +$//gmr;
}

sub name_of { my ($row) = @_; return visible("$row->{series}, $row->{label}") }

sub first_column {
    my ($name, $width) = @_;
    return sprintf '%-*s', $width, $name if length $name <= $width;
    return "$name\n" . q{ } x $width;
}

# -> (value, +/-)
sub here {
    my ($row, $part) = @_;
    my $here = $row->{here};
    return (defined $row->{status} && $row->{status} ne 'ok' ? $row->{status} : q{-}, q{})
        if !$here;
    my $spread = defined $here->{plus_minus} ? percent($here->{plus_minus}) : q{-};
    return (figure($here->{value}, $part->{time}), $spread . ($here->{disturbed} ? q{!} : q{}));
}

sub published {
    my ($figure, $part) = @_;
    return q{-} if !$figure;
    return figure($figure->{value}, $part->{time}) . ($figure->{second} ? q{*} : q{});
}

# A line for each published figure, where there are too many machines for columns
sub listed {
    my ($part, $rows, $machines) = @_;
    my $text = "\nPublished\n";
    for my $row (@{$rows}) {
        for my $machine (grep { $row->{published}{$_} } @{$machines}) {
            $text .= sprintf "  %-*s %9s  %s\n", FIRST, name_of($row),
                published($row->{published}{$machine}, $part), visible($machine);
        }
    }
    return $text;
}

sub also {
    my ($experiment) = @_;
    my $text = q{};
    if (@{ $experiment->{also} }) {
        $text .= "\nAlso published:\n";
        for my $line (@{ $experiment->{also} }) {
            my $amount = visible($line->{text}) . ($line->{second} ? ' (second-hand)' : q{});
            $text .= folded(q{  }, visible("$line->{words}: $amount"), WIDTH, q{     });
        }
    }
    return $text . rows($experiment);
}

# The rows of a table, each field on a line of its own where they are too wide
sub rows {
    my ($experiment) = @_;
    my ($columns, $rows) = @{$experiment}{qw(columns rows)};
    return q{} if !@{$rows};
    my @widths = map {
        my $i = $_;
        max(map { length $_->[$i] } $columns, @{$rows})
    } 0 .. $#{$columns};
    my $total = 0;
    $total += $_ + 2 for @widths;
    return "\n" . join q{}, map  { row(\@widths, $_) } $columns, @{$rows} if $total <= WIDTH + 2;
    return "\n" . join "\n", map { block($columns, $_) } @{$rows};
}

sub row {
    my ($widths, $fields) = @_;
    my $text = join q{  },
        map { sprintf '%-*s', $widths->[$_], visible($fields->[$_]) } 0 .. $#{$widths};
    return ($text =~ s/ +\z//r) . "\n";
}

sub block {
    my ($columns, $fields) = @_;
    my ($first, @more) = map { visible($_) } @{$fields};
    my $text = folded(q{}, $first, WIDTH, q{  });
    for my $i (grep { length $more[$_] } 0 .. $#more) {
        $text .= folded(q{  }, "$columns->[$i + 1]: $more[$i]", WIDTH, q{    });
    }
    return $text;
}

1;
