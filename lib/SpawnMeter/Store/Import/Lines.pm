# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Lines;

# The lines of a posted text as the report had them: wrapped lines are joined, and several
# lines that a page has put into one are separated.  Pure functions.
#
#   logical_lines(is, text) -> (line { number, text }, ...)
#
# What a line is, the caller decides by functions of a text:
#   is => { known => name of the kind of a line of a report, or undef, whole => nothing of the
#       next line can belong to it, begins => a line of a report begins with it, parts =>
#       (pieces that can be lines of a report), titled => title that it begins with, or undef }

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(min);
use SpawnMeter::Store::Import::Text qw(text_lines);

our @EXPORT_OK = qw(logical_lines);

use constant PIECES => 4;    # that one line may have been wrapped into

sub logical_lines {
    my ($is, $text) = @_;
    my @pieces = map { separated($is, $_) } text_lines($text);
    my @lines;
    my $i = 0;
    while ($i < @pieces) {
        my @some = @pieces[ $i .. min($i + PIECES - 1, $#pieces) ];
        my $joined = joined($is, map { $_->{text} } @some);
        push @lines, { number => $some[0]{number}, text => $joined->{text} };
        $i += $joined->{pieces};
    }
    return @lines;
}

# A piece with as many of the next ones as make it a known line -> { text, pieces => their
# number }
sub joined {
    my ($is, $first, @next) = @_;
    my %alone = (text => $first, pieces => 1);
    return \%alone if $first =~ /[|]/ || $is->{whole}->($first);
    my %long = %alone;
    for my $piece (@next) {
        last if $piece eq q{} || $is->{begins}->($piece);
        $long{text} .= " $piece";
        $long{pieces}++;
        return \%long if $is->{known}->($long{text}) && $is->{whole}->($long{text});
    }
    return \%alone;
}

# Only where all the pieces that begin with a title are known, and each title is there once
# in a table
sub separated {
    my ($is, $line) = @_;
    return $line if $line->{text} =~ /[|]/ || length $line->{text} < 60;
    my @pieces = map { s/^ +|(?<! ) +$//gr } $is->{parts}->($line->{text});
    return $line if @pieces < 2;
    my @kinds = map { $is->{known}->($_) } @pieces;
    my $known = grep { defined } @kinds;
    return $line
        if @pieces == 2
        && $known == 2
        && $kinds[0] eq $kinds[1]
        && !defined $is->{titled}->($pieces[0]);
    my %seen;

    for my $piece (@pieces) {
        my $title = $is->{titled}->($piece);
        my $kind = $is->{known}->($piece);
        %seen = () if !defined $title && $kind;    # the head of a table
        return $line if defined $title && (!$kind || $seen{$title}++);
    }
    return $line if $known < 2;
    return map { { number => $line->{number}, text => $_ } } @pieces;
}

1;
