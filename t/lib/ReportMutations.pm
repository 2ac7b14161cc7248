# SPDX-License-Identifier: GPL-2.0-or-later
package ReportMutations;

# Damages posted reports in the ways in which mails, pages and people do.
#
#   kinds() -> ({ name, change => sub (lines) -> lines, removes => true where results can be
#       gone without a trace, digits => true where digits are damaged, rounds => true where decimals are }, ...); `line` instead
#       of `change`: sub (line) -> line, for one line with results, also by itself
#   thousands(number as text, separator, decimal separator) -> text
#
# They use rand, so that srand repeats them.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(kinds thousands is_figure);

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
        name   => 'the end lost',
        line   => sub { my ($l) = @_; substr $l, 0, 20 + int rand(length($l) - 20) },
        digits => 1
    },
    {
        name   => 'the beginning lost',
        line   => sub { my ($l) = @_; substr $l, 1 + int rand 40 },
        digits => 1
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
        },
        digits => 1
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
        name   => 'a digit changed',
        digits => 1,
        line   => in_number(qr/\d/, sub { my ($n) = @_; $n =~ s/\d/(1 + int rand 9)/e; $n })
    },
    {
        name   => 'a digit lost',
        digits => 1,
        line   => in_number(qr/\d{2}/, sub { $_[0] =~ s/^\d//r })
    },
    {
        name   => 'a digit more',
        digits => 1,
        line   => in_number(qr/\d/, sub { int(1 + rand 9) . $_[0] })
    },
);

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
    } @LINE;
    return (@of_lines, @WHOLE);
}

1;
