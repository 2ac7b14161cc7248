# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Text;

# The lines of a posted text without what mails, pages and lists put around them: encoding,
# quoted-printable, markup, quotes, marks.  Pure functions.
#
#   text_lines(text: bytes or characters) -> (line { number, text }, ...)

use strict;
use warnings;
use Encode ();
use Exporter 'import';

our @EXPORT_OK = qw(text_lines);

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
