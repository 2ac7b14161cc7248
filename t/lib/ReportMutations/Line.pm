# SPDX-License-Identifier: GPL-2.0-or-later
package ReportMutations::Line;

# Damages one line with results of a posted report, in the ways of ReportMutations.
#
#   line_kinds() -> ({ name, line => sub (line) -> line, rounds => true }, ...)
#   is_figure(line) -> true where it is a result or a row of an index table
#   one_of(list) -> one of its elements
#   thousands(number as text, separator, decimal separator) -> text

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(line_kinds is_figure one_of thousands);

my $RESULT = qr/^\S.*?\S +[\d.]+ (?:lps|lpm|KBps|MWIPS) +\(/;
my $ROW = qr/^\S.*?[A-Za-z)] +[\d.]+ +[\d.]+ +[\d.]+$/;
my $TITLE = qr/^(.*?[A-Za-z)])(?= {2,})/;

sub is_figure { my ($line) = @_; return $line =~ $RESULT || $line =~ $ROW }

sub thousands {
    my ($number, $separator, $point) = @_;
    my ($whole, $decimals) = split /[.]/, $number;
    $whole = scalar reverse join scalar(reverse $separator), unpack '(A3)*', reverse $whole;
    return defined $decimals ? "$whole$point$decimals" : $whole;
}

sub one_of { return $_[ rand @_ ] }

# In one of the numbers of a line that matches the pattern
sub in_number {
    my ($pattern, $change) = @_;
    return sub {
        my ($line) = @_;
        my ($title, $rest) = $line =~ /$TITLE(.*)$/ or return $line;
        $rest =~ s/ *[(].*//;
        my @numbers = grep { /$pattern/ } $rest =~ /(\d[\d.]*)/g;
        return $line if !@numbers;
        my $number = one_of(@numbers);
        my $new = $change->($number);
        $line =~ s/(?<= )\Q$number\E(?![\d.])/$new/;
        return $line;
    };
}

sub in_title {
    my ($change) = @_;
    return sub {
        my ($line) = @_;
        my ($title) = $line =~ $TITLE or return $line;
        my $new = $change->($title);
        return $new . substr $line, length $title;
    };
}

my @LINE = (
    {
        name => 'a blank in a number',
        line => in_number(
            qr/^\d{4}/, sub { my ($n) = @_; substr $n, 1 + int rand(length($n) - 3), 0, q{ }; $n }
        )
    },
    {
        name => 'thousands by a blank in one number',
        line => in_number(qr/^\d{4}/, sub { thousands($_[0], q{ }, q{.}) })
    },
    {
        name => 'thousands by a dot in one number',
        line => in_number(qr/^\d{4}/, sub { thousands($_[0], q{.}, q{.}) })
    },
    {
        name => 'thousands by a dot, decimal comma, in one',
        line => in_number(qr/^\d{4}/, sub { thousands($_[0], q{.}, q{,}) })
    },
    {
        name => 'thousands by a comma in one number',
        line => in_number(qr/^\d{4}/, sub { thousands($_[0], q{,}, q{.}) })
    },
    {
        name => 'thousands by an apostrophe in one number',
        line => in_number(qr/^\d{4}/, sub { thousands($_[0], q{'}, q{.}) })
    },
    {
        name => 'a decimal comma in one number',
        line => in_number(qr/[.]/, sub { $_[0] =~ tr/./,/r })
    },
    {
        name   => 'decimals lost',
        rounds => 1,
        line   => in_number(qr/[.]/, sub { $_[0] =~ s/[.].*//r })
    },
    { name => 'the decimal point lost', line => in_number(qr/[.]/, sub { $_[0] =~ tr/.//dr }) },
    {
        name => 'the decimal point moved',
        line => in_number(qr/\d{3}[.]/, sub { $_[0] =~ s/(\d)[.](\d)/.$1$2/r })
    },
    {
        name => 'a digit of another script',
        line => in_number(qr/\d/, sub { my ($n) = @_; substr $n, 0, 1, "\x{0661}"; $n })
    },
    {
        name => 'all digits of another script',
        line => in_number(qr/\d/, sub { my ($n) = @_; $n =~ s/(\d)/chr 0xff10 + $1/ge; $n })
    },
    {
        name => 'a letter in a number',
        line => in_number(
            qr/\d{2}/,
            sub { my ($n) = @_; substr $n, int rand length $n, 1, one_of('a' .. 'z'); $n }
        )
    },
    {
        name => 'a sign before a number',
        line => in_number(qr/\d/, sub { one_of(qw(- + ~)) . $_[0] })
    },
    {
        name => 'a title with a letter changed',
        line => in_title(
            sub { my ($t) = @_; substr $t, int rand length $t, 1, one_of('a' .. 'z'); $t }
        )
    },
    {
        name => 'a title with a letter lost',
        line => in_title(sub { my ($t) = @_; substr $t, int rand length $t, 1, q{}; $t })
    },
    {
        name => 'a title with two letters swapped',
        line => in_title(sub { my ($t) = @_; $t =~ s/(\w)(\w)(?=\w*$)/$2$1/; $t })
    },
    {
        name => 'a title without a word',
        line => in_title(sub { my @w = split / /, $_[0]; splice @w, int rand @w, 1; join q{ }, @w })
    },
    {
        name => 'a title with a word more',
        line => in_title(sub { $_[0] . one_of(' Test', ' (all)', ' 2', ' 908', ' x', ': new') })
    },
    {
        name => 'a word before the title',
        line => in_title(sub { one_of('my ', 'x', '2 ', 'Test: ', '- ', '#') . $_[0] })
    },
    { name => 'a title in capitals', line => in_title(sub { uc $_[0] }) },
    {
        name => 'another unit',
        line => sub {
            my ($l) = @_;
            my $u = one_of(qw(lps lpm KBps MWIPS score xps ops));
            $l =~ s/ (?:lps|lpm|KBps|MWIPS) / $u /;
            $l;
        }
    },
    {
        name => 'the end lost',
        line => sub { my ($l) = @_; substr $l, 0, 20 + int rand(length($l) - 20) }
    },
    {
        name => 'the beginning lost',
        line => sub { my ($l) = @_; substr $l, 1 + int rand 40 }
    },
    {
        name => 'a line broken at a blank',
        line => sub {
            my ($l) = @_;
            my @at;
            push @at, pos $l while $l =~ / /g;
            my $i = one_of(@at);
            substr($l, 0, $i) . "\n" . substr $l, $i;
        }
    },
    {
        name => 'a line broken anywhere',
        line => sub {
            my ($l) = @_;
            my $i = 1 + int rand(length($l) - 1);
            substr($l, 0, $i) . "\n" . substr $l, $i;
        }
    },
    {
        name => 'a column lost',
        line => sub {
            my ($l) = @_;
            my @n = $l =~ /(?<= )([\d.]+)(?= |$)/g;
            my $n = one_of(@n);
            $l =~ s/ +\Q$n\E(?= |$)//;
            $l;
        }
    },
    {
        name => 'two columns swapped',
        line => sub { $_[0] =~ s/ ([\d.]+)( +)([\d.]+)( +[\d.]+)$/ $3$2$1$4/r }
    },
    {
        name => 'a digit changed',
        line => in_number(qr/\d/, sub { my ($n) = @_; $n =~ s/\d/(1 + int rand 9)/e; $n })
    },
    {
        name => 'a digit lost',
        line => in_number(qr/\d{2}/, sub { $_[0] =~ s/^\d//r })
    },
    {
        name => 'a digit more',
        line => in_number(qr/\d/, sub { int(1 + rand 9) . $_[0] })
    },
);

sub line_kinds { return @LINE }

1;
