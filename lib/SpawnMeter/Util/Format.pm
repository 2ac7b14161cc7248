# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Format;

# Numbers and texts for people.
#
# Numbers have three significant digits and their unit; undef gives "-".
#   duration(us) -> 98.2us, 1.23ms, -4.56s
#   rate(n, unit) -> 9120/s                    percent(share) -> 2.1%, at most >999%
#   thousands(n) -> 5,023, without decimals
#   change(ratio, true for two decimals below 10 %) -> "+2.5%", at most ">+999%"
#   interval({ low, high => ratios or undef }, likewise) -> "-0.4..+1.1" in %, or "-"; "?" where a
#       tenth is in it, and ten times
#   time_left(s) -> 2:05;  minutes(s) -> "2:05 minutes", or "8 seconds"
#   copies(n) -> 1 copy, 2 copies; an unknown number of copies for undef and 0
#
# Texts:
#   visible(text) -> on one line, with control characters as \x1b, and what separates lines or
#       changes the direction of text as \x{2028}
#   visible_lines(text) -> the same, but with its lines; for messages
#   make_visible(data): makes all texts of a structure visible, in place
#   plain(text, characters or undef) -> on one line, for a text that a program or a stranger
#       wrote: control characters as \x1b, and what is not UTF-8 as \xe9; cut after 300 or so
#       many characters.  Characters, not bytes
#   bytes(text) -> as UTF-8, for a message on standard error
#   shortened(text, width) -> the text, or where it is longer its beginning, "..." and its end
#   folded(mark, text, width (78), indent (as many blanks as the mark is long)) -> lines of at most
#       width characters; the first begins with the mark and the others with the indent.  A word
#       that is longer is not broken

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max);
use POSIX      qw(ceil);

our @EXPORT_OK =
    qw(duration rate percent thousands change interval time_left minutes visible visible_lines
    make_visible plain folded copies shortened bytes nearest did_you_mean);

use constant {
    PLAIN_MAX => 300,     # characters
    WIDTH     => 78,      # columns
    MOST      => 9.99,    # a share that percent prints
};

# Control characters, and those that begin a line, change the direction of one (Unicode
# Standard Annex 9, section 2) or cannot be seen
my $UNSEEN = qr/[\x00-\x1f\x7f-\x9f\x{61c}\x{200b}-\x{200f}\x{2028}-\x{202e}]
    |[\x{2060}-\x{2069}\x{feff}]/x;

# Bytes stay bytes
sub visible {
    my ($text) = @_;
    return $text if !defined $text;
    my $shown = escaped($text);
    utf8::encode($shown) if !utf8::is_utf8($text) && utf8::is_utf8($shown);
    return $shown;
}

sub make_visible {
    for my $data (@_) {
        if    (ref $data eq 'HASH')                              { make_visible(values %{$data}) }
        elsif (ref $data eq 'ARRAY')                             { make_visible(@{$data}) }
        elsif (defined $data && !ref $data && $data =~ /[^ -~]/) { $data = visible($data) }
    }
    return;
}

sub plain {
    my ($text, $most) = @_;
    $most ||= PLAIN_MAX;
    utf8::decode($text) if !utf8::is_utf8($text);
    $text = substr($text, 0, $most) . ' ...' if length $text > $most;
    return escaped($text);
}

sub escaped {
    my ($text) = @_;
    my $hidden = utf8::is_utf8($text) || utf8::decode($text) ? $UNSEEN : qr/[^\x20-\x7e]/;
    $text =~ s/($hidden)/sprintf ord $1 < 256 ? '\\x%02x' : '\\x{%x}', ord $1/ge;
    return $text;
}

sub bytes {
    my ($text) = @_;
    utf8::encode($text) if utf8::is_utf8($text);
    return $text;
}

sub visible_lines {
    my ($text) = @_;
    return join "\n", map { visible($_) } split /\n/, $text, -1;
}

sub three {
    my ($number) = @_;
    my $digits = $number >= 99.95 ? 0 : $number >= 9.995 ? 1 : 2;
    return sprintf "%.${digits}f", $number;
}

# A zero has no sign
sub duration {
    my ($us) = @_;
    return q{-} if !defined $us;
    my $size = abs $us;
    my $text =
          $size < 999.5   ? three($size) . 'us'
        : $size < 999_500 ? three($size / 1e3) . 'ms'
        :                   three($size / 1e6) . 's';
    return $us < 0 && $text =~ /[1-9]/ ? "-$text" : $text;
}

my %PER = (lps => '/s', lpm => '/min', KBps => 'KB/s', MWIPS => 'MWIPS');

sub rate {
    my ($rate, $unit) = @_;
    return q{-} if !defined $rate;
    my $per = $PER{ $unit // 'lps' } || q{};
    return three($rate / 1024) . 'MB/s' if $per eq 'KB/s' && $rate >= 9_999.5;
    return $rate < 9_999_999.5 ? three($rate) . $per : three($rate / 1e6) . 'M' . $per;
}

# A share; the interval of few disturbed passes can have any width
sub percent {
    my ($share) = @_;
    return q{-} if !defined $share;
    return $share > MOST ? sprintf('>%.0f%%', 100 * MOST) : sprintf '%.1f%%', 100 * $share;
}

sub thousands {
    my ($n) = @_;
    my $text = sprintf '%.0f', $n;
    1 while $text =~ s/^(-?\d+)(\d{3})/$1,$2/;
    return $text;
}

# A zero has no sign, but the end of an interval that has one is not on the other side
sub change { return signed(@_) =~ s/^-(?=[0.]+\z)/+/r . q{%} }

sub signed {
    my ($ratio, $is_fine) = @_;
    my $share = $ratio - 1;
    return sprintf '>+%.0f', 100 * MOST if $share > MOST;
    my $decimals = abs $share >= 0.9995 ? 0 : $is_fine && abs $share < 0.09995 ? 2 : 1;
    return sprintf "%+.${decimals}f", 100 * $share;
}

sub interval {
    my ($row, $is_fine) = @_;
    return q{-} if !defined $row->{low};
    return q{?} if $row->{low} < 1 / (1 + MOST) && $row->{high} > 1 + MOST;
    return join '..', map { signed($_, $is_fine) } @{$row}{qw(low high)};
}

sub time_left {
    my ($seconds) = @_;
    return sprintf '%d:%02d', int($seconds / 60), $seconds % 60;
}

# Seconds are rounded up: 0.3 s is 1 second
sub minutes {
    my ($seconds) = @_;
    return time_left($seconds) . ' minutes' if $seconds >= 60;
    my $whole = ceil($seconds);
    return $whole == 1 ? '1 second' : "$whole seconds";
}

sub copies {
    my ($n) = @_;
    return 'an unknown number of copies' if !$n;
    return $n == 1 ? '1 copy' : "$n copies";
}

sub shortened {
    my ($text, $width) = @_;
    return $text if length $text <= $width;
    return substr $text, 0, $width if $width < 8;
    my $end = int(($width - 3) / 2);
    return substr($text, 0, $width - 3 - $end) . '...' . substr $text, -$end;
}

sub folded {
    my ($mark, $text, $width, $indent) = @_;
    $width ||= WIDTH;
    $indent = q{ } x length $mark if !defined $indent;
    my ($first, @rest) = split /( +)/, $text, -1;
    my @lines = $mark . ($first // q{});
    while (my ($gap, $word) = splice @rest, 0, 2) {
        if (length("$lines[-1]$gap$word") <= $width) { $lines[-1] .= $gap . $word }
        else                                         { push @lines, $indent . $word }
    }
    return join q{}, map { s/ +\z//r . "\n" } @lines;
}

# ---- the word that was meant ----
#
#   nearest(word, words) -> the one whose letters differ least, in whatever order they are; where
#       all differ in more than a third of the letters, the only one that begins with the same
#       three letters; else undef
#   did_you_mean(word, [words], otherwise) -> the end of a message: "; did you mean 'x'?",
#       or, where none is near, "; otherwise" (nothing without it)

use constant {
    LONGEST => 64,    # letters; a longer word is like no other
    ALIKE   => 3,     # letters of a beginning
};

# The number of letters of one word that the other lacks, the larger of the two
sub apart {
    my ($one, $other) = map { lc } @_;
    my @lacking = grep { !($other =~ s/\Q$_//) } split //, $one;
    return max(scalar @lacking, length $other);
}

sub nearest {
    my ($word, @words) = @_;
    return if length $word < ALIKE || length $word > LONGEST;
    my %apart = map { $_ => apart($word, $_) } @words;
    my ($best) = sort { $apart{$a} <=> $apart{$b} || $a cmp $b } @words;
    return $best if defined $best && $apart{$best} <= max(1, length($word) / 3);
    my $beginning = substr $word, 0, ALIKE;
    my @alike = grep { /\A\Q$beginning/i } @words;
    return @alike == 1 ? $alike[0] : undef;
}

sub did_you_mean {
    my ($word, $words, $otherwise) = @_;
    my $near = nearest($word, @{$words});
    return "; did you mean '$near'?" if defined $near;
    return defined $otherwise ? "; $otherwise" : q{};
}

1;
