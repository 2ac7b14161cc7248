# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Words;

# The titles of tests and the numbers of posted reports.  Pure functions.
#
#   titles([tests of the catalog]) -> titles, for the other functions: those of the catalog, of the
#       versions 3.11 and 4.1, and of the programs for Windows; any => pattern of a title
#   new_test(title) -> test { name, title, unit, category => title of the index, or undef } of a
#       title that is not in the catalog
#   test_named(titles, text) -> the test with this title, also without its last letter, or this
#       name, such as execl or fork+exec; undef
#   split_title(titles, text) -> (test, rest) of a text that begins with a title, or nothing
#   begins_title(titles, text) -> true where a title begins it, or it can be the beginning of one
#   resembles(titles, title) -> title of a test that this title contains, is a part of, or differs
#       from by a few letters; undef
#   table_title(title) -> of an index table, as the suites write it; 4.1 has a table without one
#   NUMBER, UNIT, COPIES: patterns of a number, of a unit, and of a word for copies of a test
#   number(text) -> { value, rounding => its largest error, decimals => digits after the point }, or
#       undef where it is not a number with a decimal point
#   is_one_of(number, numbers) -> true where it is one of these, as far as they are rounded
#   quantity(text as Util::Format prints it) -> its number in microseconds, KB or one
#   printed_rate(likewise, such as 1.9M/s) -> (rate => number, unit => of the suite), or nothing

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first max);

our @EXPORT_OK = qw(titles new_test test_named split_title begins_title resembles
    table_title NUMBER UNIT COPIES number is_one_of quantity printed_rate);

use constant {
    NAME_MAX     => 60,       # characters of a test's name
    FRAGMENT     => 6,        # letters of a title that are enough to recognise it
    SIMILAR      => 0.6,      # share of equal pairs of letters from which two titles resemble
    A_DIGIT      => 1.001,    # of the last digit that is printed: cut off, or rounded
    HALF_A_DIGIT => 0.501,
};

# Of the versions 3.11 and 4.1 and of the programs for Windows, without those that the catalog
# has; behind | the name where it is not made of the title
my @OLDER = (
    map({ "$_ Test" } split /, /, 'System Call Overhead, Pipe Throughput, Process Creation'),
    map({ "$_ Test" } split /, /, 'Pipe-based Context Switching, Execl Throughput, C Compiler'),
    map({ "Arithmetic Test (type = $_) | $_" } qw(arithoh short int long float double)),
    map({ ("File $_ (10 seconds)", "File $_ (30 seconds)") } qw(Read Write Copy)),
    'Dhrystone 2 without register variables',
    'Arithmetic Test (type = register)',
    map({ "Shell scripts ($_ concurrent)" } 2, 4),
    'Recursion Test--Tower of Hanoi | hanoi',
    'CreateProcess Throughput | createprocess',
    'CreateProcess and C Runtime Throughput | createprocess_crt',
);

# The titles of the index tables, by the catalog's names of the categories
my %TABLE = (
    'system'  => 'System Benchmarks',
    'process' => 'Process Benchmarks',
    '2d'      => '2D Graphics Benchmarks',
    '3d'      => '3D Graphics Benchmarks',
);

sub table_title {
    my ($title) = @_;
    return '4.1' if !defined $title;
    return (first { lc eq lc $title } values %TABLE) || $title;
}

sub unit_of {
    my ($title) = @_;
    return
          $title =~ /^File/                          ? 'KBps'
        : $title =~ /^(?:Shell|C Compiler|Dc:|Grep)/ ? 'lpm'
        : $title =~ /Whetstone/                      ? 'MWIPS'
        : $title =~ /^2D graphics/                   ? 'score'
        : $title =~ /^3D graphics/                   ? 'fps'
        :                                              'lps';
}

# Titles are compared without blanks, underscores and case
sub key { my ($title) = @_; return lc($title) =~ tr/ _//dr }

sub new_test {
    my ($title, $name, $category, $baseline) = @_;
    $name //= substr lc($title) =~ s/[^a-z0-9]+/_/gr =~ s/^_|_\z//gr, 0, NAME_MAX;
    return {
        name     => length $name ? $name : 'unnamed',
        title    => $title,
        unit     => unit_of($title),
        category => $TABLE{ $category // q{} },
        baseline => $baseline,
    };
}

sub titles {
    my ($tests) = @_;
    my (%test, %named);
    my @older = map { [ split / [|] / ] } @OLDER;
    for my $fields (@older, map { [ @{$_}{qw(title name category baseline)} ] } @{$tests}) {
        my $test = new_test(@{$fields});
        $named{ $test->{name} } = $test{ key($test->{title}) } = $test;
    }
    my @keys = sort { length $b <=> length $a || $a cmp $b } keys %test;
    $test{ substr $_, 0, -1 } ||= $test{$_} for @keys;    # as in posts that lack this letter
    my %behind = map { length $_ => qr/^(?:[ _]*+[^ _]){${\length}}(?![\w(-]) *(.*)$/s } keys %test;
    my $any = join q{|}, map { quotemeta($test{$_}{title}) =~ s/\\[ ]/[ _]/gr } @keys;
    return {
        tests   => \%test,
        named   => \%named,
        keys    => \@keys,
        pairs   => { map { $_ => pairs_of($_) } @keys },
        behind  => \%behind,
        lengths => [ sort { $b <=> $a } keys %behind ],
        any     => qr/(?:$any)/i,
    };
}

sub test_named {
    my ($titles, $text) = @_;
    return $titles->{named}{ lc($text) =~ tr/+//dr } || $titles->{tests}{ key($text) };
}

# The longest title, since another can be its beginning
sub split_title {
    my ($titles, $text) = @_;
    my $key = key($text);
    for my $length (grep { $_ <= length $key } @{ $titles->{lengths} }) {
        my $test = $titles->{tests}{ substr $key, 0, $length } or next;
        return ($test, $1) if $text =~ $titles->{behind}{$length};
    }
    return;
}

sub begins_title {
    my ($titles, $text) = @_;
    my $key = key($text);
    return 1 if grep { index($key, $_) == 0 } @{ $titles->{keys} };
    return length $key >= FRAGMENT && defined first { index($_, $key) == 0 } @{ $titles->{keys} };
}

# By Sorensen and Dice's coefficient of their pairs of neighbouring letters
sub resembles {
    my ($titles, $title) = @_;
    my $key = key($title);
    my @pairs = keys %{ pairs_of($key) };
    my ($nearest, $most) = (undef, 0);
    for my $other (@{ $titles->{keys} }) {
        my $of_other = $titles->{pairs}{$other};
        my $is_part = index($key, $other) >= 0
            || length $key >= FRAGMENT && index($other, $key) >= 0;
        my $equal = grep { $of_other->{$_} } @pairs;
        my $is_alike = $equal >= SIMILAR * (@pairs + keys %{$of_other}) / 2;
        ($nearest, $most) = ($other, $equal) if ($is_part || $is_alike) && $equal >= $most;
    }
    return defined $nearest ? $titles->{tests}{$nearest}{title} : undef;
}

sub pairs_of {
    my ($key) = @_;
    return { map { substr($key, $_, 2) => 1 } 0 .. length($key) - 2 };
}

# ---- numbers ----

use constant NUMBER => qr/(?>\d{1,15}(?:[.,'\x{2019}]\d{1,15}){0,6})/a;
use constant UNIT   => qr/lps|lpm|KBps|MWIPS|MFLOPS|fps/;
use constant COPIES => qr/cop(?:y|ies)|process(?:es)?|tasks?/i;

# Before the point thousands can be separated, by commas or apostrophes
my $THOUSANDS = qr/\d{1,3}([,'\x{2019}])\d{3}(?:\g{-1}\d{3})*/a;

sub number {
    my ($text) = @_;
    return
        if length $text > 40
        || $text !~ /^(\d{1,15}|$THOUSANDS)(?:[.](?<decimals>\d{1,6}))?\z/a;
    my ($whole, $decimals) = ($1, $+{decimals} // q{});
    $whole =~ tr/0-9//cd;

    # "207.90" is a number with one decimal that another program printed with two
    my $rounding = HALF_A_DIGIT * 10**-length($decimals =~ s/(?<=\d)0+\z//ar);
    my $value = "$whole." . ($decimals || 0) + 0;
    return { value => $value, rounding => $rounding, decimals => length $decimals };
}

sub is_one_of {
    my ($x, @others) = @_;
    return scalar grep {
        my $rounding = max($x->{rounding}, $_->{rounding}) / HALF_A_DIGIT;
        abs($x->{value} - $_->{value}) <= A_DIGIT * $rounding
    } @others;
}

# What the number of a quantity's text is multiplied with, by its end (Util::Format)
my %TIMES = (
    '%'     => 0.01,
    'ms'    => 1e3,
    's'     => 1e6,
    'MB/s'  => 1024,
    'M/s'   => 1e6,
    'M/min' => 1e6,
);

# "1.5ms" -> 1500 microseconds, "2%" -> 0.02, ">999%" -> a little more than 9.99, "12.5M/s" ->
# 12500000; undef where it is not known
sub quantity {
    my ($text) = @_;
    my ($above, $number, $unit) = ($text // q{}) =~ m{^(>?)(\d+(?:[.]\d+)?)(\D*)$}a or return;
    return $number * ($TIMES{$unit} || 1) * ($above ? 1.01 : 1);
}

my %UNIT_OF = ('/s' => 'lps', '/min' => 'lpm', 'KB/s' => 'KBps', 'MB/s' => 'KBps');

sub printed_rate {
    my ($text) = @_;
    my ($unit) = $text =~ m{^\d+(?:[.]\d+)?(?:M(?=/))?([KM]B/s|/s|/min|[A-Za-z]+)$}a or return;
    $unit = $UNIT_OF{$unit} // $unit;
    return if $unit !~ /^(?:${\UNIT}|score)$/;
    return (rate => sprintf('%.2f', quantity($text)), unit => $unit);
}

1;
