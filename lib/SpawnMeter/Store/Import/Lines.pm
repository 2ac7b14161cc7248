# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Lines;

# The lines of a posted text as the report had them: without what mails, pages, forums, chats and
# logs put around them; wrapped lines are joined.  Pure functions.
#
#   near_report(text) -> (the text; of a long one the lines near words of a report, and empty ones
#       in the places of the others; number of the line from which on nothing is read, or undef)
#   text_lines(text: bytes or characters) -> (line { number, text, heading => true where the
#       markup makes it one })
#   logical_lines(titles of Import::Words, lines) -> (lines)

use strict;
use warnings;
use Encode 'decode';
use Exporter 'import';
use List::Util                       qw(max min);
use MIME::QuotedPrint                ();
use SpawnMeter::Store::Import::Items qw(recognise looks_like_report);
use SpawnMeter::Store::Import::Words qw(split_title begins_title);

our @EXPORT_OK = qw(near_report text_lines logical_lines);

use constant {
    LINE_MAX => 20_000,    # characters; a page's whole report can be on one line
    LOG_MIN  => 4000,      # lines of a text that is more than reports
    NEAR     => 60,        # lines around a word of a report
    NEAR_MAX => 10_000,    # lines near such words: more are not those of posted reports
    PIECES   => 4,         # that one line may have been wrapped into
    LAYERS   => 4,         # of prefixes: of a chat's log in a server's log
    ALIKE    => 3,         # lines with a prefix, at least
};

# ---- what is around the lines -----------------------------------------------------------

my $MARKED = qr/^(?:\#{1,6}|h[1-6][.]|={1,5}) +\S/;    # a heading

my $WORD = qr/Benchmark|BASELINE|Throughput|Overhead|concurrent|bufsize|Whetstone|SpawnMeter/i;
$WORD = qr/$WORD|Creation|Context|register variables|unixbench|execl|spawn|syscall|parallel/i;

sub near_report {
    my ($text) = @_;
    my @lines = split /\r\n|\n|\r/, $text, -1;
    return $text if @lines <= LOG_MIN;
    my ($kept, @near) = (0);
    for my $i (grep { $lines[$_] =~ $WORD } 0 .. $#lines) {
        my @more = (max(scalar @near, $i - NEAR) .. min($i + NEAR, $#lines)) or next;
        $kept += @more;
        return (join("\n", @near), @near + 1) if $kept > NEAR_MAX;
        push @near, (q{}) x ($more[0] - @near), @lines[@more];
    }
    return join "\n", @near;
}

sub text_lines {
    my ($text) = @_;
    $text = MIME::QuotedPrint::decode_qp($text)
        if $text =~ /^Content-Transfer-Encoding: *quoted-printable/mi
        || $text =~ /=3D|=20\r?$/m && $text =~ /\w *=\r?$/m;
    my $number = 0;
    my @lines = map { { number => ++$number, text => cleaned($_) } }
        split /\r\n|\n|\r/, without_markup($text), -1;
    join_continued(@lines);
    without_prefixes(@lines);
    return map { { number => $_->{number}, tidy($_->{text}) } } @lines;
}

# Turns the rows of a page's tables into lines of cells; the other lines stay where they are
sub without_markup {
    my ($text) = @_;
    return $text if $text !~ /<t[dh]\b/i;
    $text =~ s/(?<=\S)(?=<tr\b)/\n/gi;
    $text =~ s{(<tr\b.*?(?=</tr>|<tr\b|</table>))}{ $1 =~ tr/\n/ /r . "\n" x $1 =~ tr/\n// }gise;
    $text =~ s/<t[dh]\b[^<>]*>/ | /gi;
    return $text =~ s/<[^<>]*>//gr;
}

# Characters, without those that control a terminal
sub cleaned {
    my ($bytes) = @_;
    return substr $bytes, 0, LINE_MAX if $bytes !~ /[^ -%'-~]/;                  # most lines
    my $strictly = Encode::FB_CROAK() | Encode::LEAVE_SRC();
    my $line = utf8::is_utf8($bytes) ? $bytes : eval { decode('UTF-8', $bytes, $strictly) };
    $line //= decode('ISO-8859-1', $bytes);
    $line = substr $line, 0, LINE_MAX;
    $line =~ s/\e(?:\[[?\d;]*[A-Za-z]|\][^\a\e]{0,200}(?:\a|\e\\))//ag;
    $line =~ s/(?<=\d)[\x{a0}\x{2009}\x{202f}](?=\d{3})/'/g;                     # between thousands
    $line =~ s/\p{Zs}|&#?\w{2,8};/ /ag;
    $line =~ tr/\x{2502}\x{2503}\x{2551}\x{2010}-\x{2013}\x{2500}-\x{257f}/|||-/;
    $line =~ s/(?!\t)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]//g;
    return $line;
}

# ---- prefixes of logs -------------------------------------------------------------------

my $DAY = qr{\d{4}-\d\d-\d\d|[A-Z][a-z]{2} [ \d]\d|\d\d[/.](?:\d\d|[A-Z][a-z]{2})[/.]\d{2,4}}a;
my $CLOCK = qr/\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?(?: ?[AaPp][Mm])?/a;
my $STAMP = qr/[\[(]?(?:$DAY[T, ]{1,2})?$CLOCK[\])]?|\[ *\d{1,9}[.]\d{1,9}\]/a;
my $NICK = qr/<[ @+%~&]?[^\s<>]{1,40}>/;
my $UNIT = qr{(?!Benchmark Run:)[\w.-]{1,80} [\w.@/-]{1,80}(?:\[\d+\])?:}a;

# A time, with a nickname, or with the host and unit of a journal; after the names of a job and
# its step.  What names a service stands before many lines alike, with a colon before all
my $STREAM = qr/\d\d[OE]/a;    # of GitLab's: output or errors
my $OF_TIME = qr/^(?:[^\t]{1,80}\t[^\t]{1,80}\t)?$STAMP(?: $STREAM| $NICK| $UNIT)?(?: |$)/;
$OF_TIME = qr/$OF_TIME|^$NICK(?: |$)/;
my $OF_SERVICE = qr{^( *[\w.-]{1,80} *[|]|\[[\w ./-]{1,40}\]|[\w.-]{1,80}:)(?: |$)}a;

# A line of a log that goes on with the one before it, which has a + behind its stream
sub join_continued {
    my (@lines) = @_;
    my $last;
    for my $line (@lines) {
        if ($line->{text} =~ /^$STAMP $STREAM\+(.*)/ && $last) {
            $last->{text} .= $1;
            $line->{text} = q{};
        } elsif ($line->{text} =~ /^$STAMP $STREAM /) {
            $last = $line;
        }
    }
    return;
}

sub without_prefixes {
    my @full = grep { $_->{text} =~ /\S/ } @_;
    for (1 .. LAYERS) {
        my %alike;
        for my $line (@full) {
            my $name = $line->{text} =~ $OF_TIME ? q{} : $line->{text} =~ $OF_SERVICE ? $1 : next;
            push @{ $alike{$name} }, $line;
        }
        my %share = map { $_ => /:\z/ ? 1 : length() ? 1 / 2 : 1 / 4 } keys %alike;
        my @many = grep { @{ $alike{$_} } >= max(ALIKE, @full * $share{$_}) } keys %alike;
        last if !@many;
        $_->{text} =~ s/$OF_TIME|$OF_SERVICE// for map { @{ $alike{$_} } } @many;
    }
    return;
}

# ---- marks of a line --------------------------------------------------------------------

# Lines that only begin or end a part of a text
my $FENCE = qr/^(?:`{3,}|~{3,}) *[\w+#.-]* *(?:\{.*\}|\w+=.*)?$|^(?:\{{3}(?:\#!\w+)?|\}{3})$/;
$FENCE = qr/$FENCE|^\{(?:code|noformat|quote|panel)(?::[^{}]*)?\}$|^\#\+(?:begin|end)_\w+.*$/i;
$FENCE = qr/$FENCE|^[.][.] code(?:-block)?::.*$|^::$/;

my $BBCODE = qr/code|icode|quote|pre|php|plain|spoiler|details|hide|size|font|color|list|[biu]/i;
my $HEADING = qr{\[(?:details|spoiler)=["']?(?<name>[^\]"']{1,200})["']?\]}i;
$HEADING = qr/<(?:h[1-6]|summary)\b[^<>]*>|$HEADING/i;

# -> (text, heading).  Quotes of a mail go, then what a page or forum has around a part, then marks
# of lists and differences
sub tidy {
    my ($line) = @_;
    $line =~ s/\t/  /g;
    $line =~ s/^ *(?:(?:>|:(?= |$)) ?)+//;
    $line =~ s/^ *[|] ?// if $line =~ /^ *[|][^|]*$/;
    $line =~ s/^ +//;
    if ($line =~ /^(.{0,200}?) *$/ && "$1" =~ $FENCE) {
        my ($title) = $line =~ /\btitle=["']?([^"'|{}]+)/;
        return (text => $title // q{}, heading => defined $title ? 1 : 0);
    }
    my $heading = $line =~ $MARKED || $line =~ s{$HEADING}{$+{name} // q{}}e;
    $line =~ s/^(?:\#{1,6}|h[1-6][.]) +//;
    my $listed = $line =~ s/^(?:[*+~\x{b7}\x{2022}-] ++(?![-!])|[+](?=\w)|-(?=[A-Za-z]))//;
    $listed &&= $line =~ /^.{1,40}?[:\x{ff1a}](?: |[*`_]|$)/;    # a key of a list
    $line =~ s/^\d{1,2}[.] +(?=\D.*\d[ *]*(?:lp[sm]|[KM]\w{3,5})\b)//a;
    $line =~ s{`+|\*\*(?=\S)([^*]+)\*\*}{$1 // q{}}ge;
    $line =~ s{</?[a-z]\w*(?: [^<>]{0,200})?/?>}{}gi if $line    =~ /</;
    $line =~ s{\[/?(?:$BBCODE)(?:=[^\]]{0,200})?\]}{}gi if $line =~ /\[/;
    $line =~ s/^ +//;
    $line =~ s/(?<![ \\])[ \\]+$//;
    $line =~ s/(?<=\w) +[-=]{10,}$//;
    return (text => $line, heading => $heading ? 1 : 0, $listed ? (listed => 1) : ());
}

# ---- wrapped and joined lines -----------------------------------------------------------

# The beginning of a line of a report that is continued in the next line
my $BEGINNING = qr/^(?>.*?\bBenchmarks\b).*\b(?:Index|BASELINE)|^TEST\b|^Benchmark Run/i;
$BEGINNING = qr/$BEGINNING|^(?:AVERAGE|SUM of\b.*|FINAL|Start Benchmark Run:.*)$/;
my $BEGINS = qr/^(?:.*(?:Benchmark Run:|CPUs? in system|Index Score)|FINAL SCORE|[-_=]{10,}$)/i;

sub logical_lines {
    my ($titles, @pieces) = @_;
    my @logical;
    while (my $line = shift @pieces) {
        my $text = $line->{text};
        my $is_whole = $line->{item} || $text =~ /[|]/ || is_whole($titles, $text);
        for my $i ($is_whole ? () : 0 .. min(PIECES - 2, $#pieces)) {
            my $piece = $pieces[$i]{text};
            last if $piece eq q{} || $piece =~ $BEGINS || split_title($titles, $piece);
            last if $pieces[$i]{item} || recognise($titles, $piece);
            $text .= " $piece";
            next if !recognise($titles, $text) || !is_whole($titles, $text);
            $line = { %{$line}, text => $text };
            splice @pieces, 0, $i + 1;
            last;
        }
        push @logical, $line;
    }
    return @logical;
}

# Nothing of the next line can belong to this one.  A title is not whole, nor is a title with
# some of its numbers.
sub is_whole {
    my ($titles, $text) = @_;
    my $item = recognise($titles, $text);
    return 1 if $item && ($item->{kind} ne 'result' || $text =~ /samples?\)?$/);
    return 0 if looks_like_report($text) || $text =~ $BEGINNING;
    return !begins_title($titles, $text);
}

1;
