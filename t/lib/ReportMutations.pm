# SPDX-License-Identifier: GPL-2.0-or-later
package ReportMutations;

# Damages posted reports in the ways in which mails, pages and people do.
#
#   kinds() -> ({ name, change => sub (lines) -> lines, removes => true where results can be
#       gone without a trace, rounds => true where decimals are damaged }, ...)
#
# They use rand, so that srand repeats them.

use strict;
use warnings;
use Exporter 'import';
use ReportMutations::Line qw(line_kinds is_figure one_of thousands);

our @EXPORT_OK = qw(kinds);

sub everywhere {
    my ($separator, $point) = @_;
    return sub {
        my (@lines) = @_;
        for my $line (grep { is_figure($_) || /Index Score/ } @lines) {
            $line =~ s/(?<= )(\d+[.]\d)(?= |$)/thousands($1, $separator, $point)/ge;
        }
        return @lines;
    };
}

# Two places of the text, the first one among the lines with results
sub at_results {
    my ($change) = @_;
    return sub {
        my (@lines) = @_;
        my @at = grep { is_figure($lines[$_]) } 0 .. $#lines;
        return $change->(one_of(@at), @lines);
    };
}

sub inserted {
    my (@texts) = @_;
    return sub {
        my (@lines) = @_;
        splice @lines, int rand(@lines + 1), 0, one_of(@texts);
        return @lines;
    };
}

sub without_headers {
    my (@patterns) = @_;
    return sub {
        my (@lines) = @_;
        my @at = grep {
            my $i = $_;
            grep { $lines[$i] =~ $_ } @patterns
        } 0 .. $#lines;
        my $half = @at / @patterns;
        my %gone = map { $_ => 1 } @at[ @at - @patterns .. $#at ];
        return @lines[ grep { !$gone{$_} } 0 .. $#lines ];
    };
}

my @WHOLE = (
    { name => 'thousands by blanks, decimal commas', change => everywhere(q{ }, q{,}) },
    { name => 'thousands by no-break blanks', change        => everywhere("\x{a0}", q{,}) },
    { name => 'thousands by thin blanks', change            => everywhere("\x{202f}", q{,}) },
    { name => 'thousands by dots, decimal commas', change   => everywhere(q{.}, q{,}) },
    { name => 'thousands by apostrophes', change            => everywhere(q{'}, q{.}) },
    { name => 'thousands by commas', change                 => everywhere(q{,}, q{.}) },
    { name => 'decimal commas', change                      => everywhere(q{}, q{,}) },
    {
        name    => 'a line lost',
        removes => 1,
        change  => sub { my (@l) = @_; splice @l, int rand @l, 1; @l }
    },
    {
        name    => 'some lines lost',
        removes => 1,
        change  => sub {
            my (@l) = @_;
            my $at = int rand @l;
            splice @l, $at, 2 + int rand 12 if $at < @l - 14;
            @l;
        }
    },
    { name => 'the later header lost', change => without_headers(qr/running \d+ parallel/) },
    {
        name   => 'both later headers lost',
        change => without_headers(qr/running \d+ parallel/, qr/^Benchmark Run/)
    },
    {
        name   => 'rule and headers lost',
        change => without_headers(qr/running \d+ parallel/, qr/^Benchmark Run/, qr/^-{70}/)
    },
    {
        name   => 'a line doubled',
        change => sub { my (@l) = @_; my $i = int rand @l; splice @l, $i, 0, $l[$i]; @l }
    },
    {
        name   => 'a line copied to another place',
        change => at_results(sub { my ($i, @l) = @_; splice @l, int rand @l, 0, $l[$i]; @l })
    },
    {
        name   => 'two lines swapped',
        change => at_results(
            sub { my ($i, @l) = @_; @l[ $i, $i + 1 ] = @l[ $i + 1, $i ] if $i < $#l; @l }
        )
    },
    {
        name   => 'two lines joined',
        change => at_results(sub {
            my ($i, @l) = @_;
            $l[$i] .= one_of(q{}, q{ }, q{  }) . splice @l, $i + 1, 1 if $i < $#l;
            @l;
        })
    },
    {
        name   => 'words between the lines',
        change => inserted('some words', 'I like 3 numbers, 1.0 2.0 3.0', 'Run 2:', 'see below')
    },
    { name => 'a rule between the lines', change => inserted(q{-} x 72, q{=} x 20, q{-} x 10) },
    { name => 'an empty line between the lines', change => inserted(q{}) },
    {
        name   => 'a quote mark before one line',
        change => at_results(sub { my ($i, @l) = @_; $l[$i] = "> $l[$i]"; @l })
    },
);

# A change of one line is also one of a whole report
sub kinds {
    my @of_lines = map {
        my $kind = $_;
        my $change = sub { my ($i, @l) = @_; $l[$i] = $kind->{line}->($l[$i]); @l };
        +{ %{$kind}, change => at_results($change) };
    } line_kinds();
    return (@of_lines, @WHOLE);
}

1;
