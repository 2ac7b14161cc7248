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
use Encode     ();
use List::Util qw(min);

our @EXPORT_OK = qw(logical_lines text_lines);

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

# ---- text ----
#
# The lines of a posted text without what mails, pages and lists put around them: encoding,
# quoted-printable, markup, quotes, marks.  Pure functions.
#
#   text_lines(text: bytes or characters) -> (line { number, text }, ...)

use constant LINE_MAX => 20_000;    # characters; a page's whole report can be on one line

my %ENTITY = (nbsp => q{ }, lt => q{<}, gt => q{>}, amp => q{&}, quot => q{"}, '#39' => q{'});

sub decoded {
    my ($bytes) = @_;
    return $bytes if utf8::is_utf8($bytes);
    my $text = eval { Encode::decode('UTF-8', $bytes, Encode::FB_CROAK() | Encode::LEAVE_SRC()) };
    return defined $text ? $text : Encode::decode('ISO-8859-1', $bytes);
}

sub tidy {
    my ($line) = @_;
    $line = substr $line, 0, LINE_MAX;
    $line =~ s/\e\[[\d;]*[A-Za-z]//ag;
    $line =~ s/[\t\p{Zs}]|&nbsp;/ /g;
    $line =~ s/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]//g;

    # quotes of a mail, then the marks of lists and differences
    $line =~ s/^ *(?:> ?)+//;
    $line =~ s/^ *[|] ?// if $line =~ /^ *[|][^|]*$/;
    $line =~ s/^ *(?:[*+~-] +|[+](?=\w)|-(?=[A-Za-z]))//;
    $line =~ s/`+//g;
    $line =~ s{\[/?(?:code|quote|pre|php|spoiler|[biu])(?:=[^\]]*)?\]}{}gi;
    $line =~ s/^ +//;
    $line = reverse $line;
    $line =~ s{^(?: |>/? *rb<|\\)+}{}i;
    $line = reverse $line;
    $line =~ s/(?<=\w) +[-=]{10,}$//;
    return $line;
}

# A line that ends in = is continued in the next one, and =3D is a character
sub unquoted_printable {
    my (@lines) = @_;
    my ($continued, @whole);
    for my $line (@lines) {
        my $text = $line->{text};
        my $continues = $text =~ s/=\z//;
        if ($continued) { $whole[-1]{text} .= $text }
        else            { push @whole, { %{$line}, text => $text } }
        $continued = $continues;
    }
    $_->{text} =~ s/=([\dA-F]{2})/chr hex $1/age for @whole;
    return @whole;
}

sub is_quoted_printable {
    my ($text) = @_;
    return $text =~ /^Content-Transfer-Encoding: *quoted-printable/mi
        || ($text =~ /=3D|=20\r?$/m && $text =~ /\w *=\r?$/m);
}

# The rows of a page's tables as lines of cells, with the page's other lines in their places
sub without_markup {
    my ($text) = @_;
    return $text if $text !~ /<t[dh]\b/i;
    $text                 =~ s{(<tr\b.*?(?=</tr>|<tr\b|</table>))}{ row_of_cells($1) }gise;
    $text                 =~ s/<[^<>]*>//g;
    $text                 =~ s/&(#?\w+);/exists $ENTITY{$1} ? $ENTITY{$1} : q{ }/ge;
    return $text;
}

sub row_of_cells {
    my ($row) = @_;
    my $lines = $row =~ tr/\n//d;
    my @cells = $row =~ m{<t[dh]\b[^<>]*>(.*?)(?=</t[dh]>|<t[dh]\b|\z)}gis;
    s/<[^<>]*>|^\s+|\s+$//g for @cells;
    return join(' | ', @cells) . "\n" x $lines;
}

sub text_lines {
    my ($text) = @_;
    my $number = 0;
    my @lines =
        map { { number => ++$number, text => $_ } } split /\r\n|\n|\r/, without_markup($text), -1;
    @lines = unquoted_printable(@lines) if is_quoted_printable($text);
    return map { { number => $_->{number}, text => tidy(decoded($_->{text})) } } @lines;
}

1;
