# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot::Data;

# A figure as plots/sweep.gp takes it.
#
#   figure(run, name => ending of its files, form => names, log or linear, log => 1 where the
#       axis of x is logarithmic, x, y => [ends of the axes], xticks, yticks => [ticks of
#       SpawnMeter::Report::Plot], broken => where the axis of x is broken, or 0,
#       height => pixels or undef, dots => [ { series, x, disturbed, at => [x, y, low, high] }
#       ], series => [ { name, title, ink => number of its colour (otherwise its
#       place in the list), line => [both ends of a straight line] } ])
#       -> { name, form, caption, data, arguments }

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Quantity qw(words_of);
use SpawnMeter::Report::Escape     qw(plain_csv_line);
use SpawnMeter::Util::Format       qw(visible);

our @EXPORT_OK = qw(figure);

use constant HEIGHT => 520;    # pixels of a picture

sub figure {
    my ($run, %of) = @_;
    my $sweep = $run->{sweep};
    my @numbers = (
        scalar @{ $of{series} },
        @of{qw(form log)},
        @{ $of{x} },
        @{ $of{y} },
        $of{height} || HEIGHT,
        $of{broken}, styles(@{ $of{series} })
    );
    return {
        name      => $of{name},
        form      => $of{form},
        caption   => visible(caption($sweep, $of{form})),
        data      => data(%of),
        arguments => [
            map({ visible($_) } $sweep->{title}, under($run), $sweep->{axis}), "@numbers",
            words_of($sweep->{quantity})
        ],
    };
}

sub styles {
    my (@series) = @_;
    return map { defined $series[$_]{ink} ? $series[$_]{ink} : $_ } 0 .. $#series;
}

sub caption {
    my ($sweep, $form) = @_;
    my %more = (log => ' (logarithmic axes)', linear => ' (linear axes, with fitted lines)');
    return
          "$sweep->{title}: "
        . words_of($sweep->{quantity})
        . ", by $sweep->{axis}"
        . ($more{$form} || q{});
}

# Machine and date
sub under {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my $date = q{};
    if ($run->{started}) {
        my ($day, $month, $year) = (gmtime $run->{started})[ 3 .. 5 ];
        $date = sprintf '%04d-%02d-%02d', $year + 1900, $month + 1, $day;
    }
    return join ', ', grep { defined && length } $run->{host}, $system->{cpu_model}, $kernel, $date;
}

# Blocks of lines, parted by two empty lines; a block without a point has one that is none
sub data {
    my (%of) = @_;
    my @blocks = map { block_of_series($of{dots}, $_) } @{ $of{series} };
    push @blocks, map { lines(@{$_}) } @of{qw(xticks yticks)};
    my @disturbed = map { [ @{ $_->{at} }[ 0, 1 ] ] } grep { $_->{disturbed} } @{ $of{dots} };
    push @blocks, plain_csv_line(@disturbed ? 'disturbed (!)' : q{ }) . lines(@disturbed);
    push @blocks, map { lines(@{ $_->{line} || [] }) } @{ $of{series} };
    return join "\n\n", @blocks;
}

# The broken axis has no line between its parts: an empty line parts them
sub block_of_series {
    my ($dots, $series) = @_;
    my @own = grep { $_->{series} eq $series->{name} } @{$dots};
    my $title = defined $series->{title} ? $series->{title} : $series->{name};
    my @zero = grep { defined $_->{x} && $_->{x} <= 0 } @own;
    my @rest = grep { !defined $_->{x} || $_->{x} > 0 } @own;
    my $text = plain_csv_line(literal($title));
    $text .= lines(map { $_->{at} } @zero) . "\n" if @zero;
    return $text . lines_apart(map { $_->{at} } @rest);
}

# Nor has one from a place of the axis to itself: a published time of another machine
sub lines_apart {
    my (@rows) = @_;
    return lines(@rows) if @rows < 2;
    my $text = lines($rows[0]);
    for my $i (1 .. $#rows) {
        $text .= "\n" if $rows[$i][0] == $rows[ $i - 1 ][0];
        $text .= lines($rows[$i]);
    }
    return $text;
}

# gnuplot takes a backslash in a text of its data as the beginning of an escape
sub literal { my ($text) = @_; return visible($text) =~ s/\\/\\\\/gr }

sub lines {
    my (@rows) = @_;
    return "NaN,NaN,NaN,NaN\n" if !@rows;
    return join q{}, map {
        plain_csv_line(map { literal($_) } @{$_})
    } @rows;
}

1;
