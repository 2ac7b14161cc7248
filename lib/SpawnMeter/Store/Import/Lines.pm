# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Lines;

# The lines of a posted text as the report had them: without what mails, pages, forums, chats and
# logs put around them, wrapped ones joined; and what each is, by a table of recognisers.  Pure
# functions.
#
#   text_lines(text: bytes or characters) -> (line { number, text, heading => true where the
#       markup makes it one }); of a long text the lines near words of a report, with empty ones in
#       the places of the others
#   logical_lines(titles of Import::Words, lines) -> (lines)
#   recognise(titles, text) -> item { kind, fields }, or false where no recogniser knows the text
#   looks_like_report(text) -> true where it has words that only a report has
#   items(titles, lines of Import::Tables) -> (items) { kind, line => its number, text, heading,
#       fields }; of a line that has one already its item.  Fields that are not parts of the line:
#         result, row, score  number => of Import::Words, or undef; test => likewise
#         column  what Import::Tables says of the next lines
#         says    says => { test => name, fields }: what a table of SpawnMeter says of a result
#                 above, fields of Analysis::Record's result
#       Of other kinds: noise (neither figures nor names), blank, other

use strict;
use warnings;
use Encode 'decode';
use Exporter 'import';
use List::Util                       qw(max min);
use MIME::QuotedPrint                ();
use SpawnMeter::Analysis::Findings   qw(heads);
use SpawnMeter::Store::Import::Words qw(NUMBER UNIT COPIES number split_title begins_title);

our @EXPORT_OK = qw(text_lines logical_lines recognise looks_like_report items);

use constant {
    LINE_MAX => 20_000,    # characters; a page's whole report can be on one line
    LOG_MIN  => 4000,      # lines of a text that is more than reports
    NEAR     => 60,        # lines around a word of a report
    NEAR_MAX => 10_000,    # lines near such words: more are not those of posted reports
    PIECES   => 4,         # that one line may have been wrapped into
    OWN      => 24,        # likewise of SpawnMeter's report
    LAYERS   => 4,         # of prefixes: of a chat's log in a server's log
    ALIKE    => 3,         # lines with a prefix, at least
    TEXT_MAX => 2000,      # characters of a line of a report
    TOO_LONG => 'posted reports do not have so many lines: give the part with the results',
};

# ---- what is around the lines -----------------------------------------------------------

my $MARKED = qr/^(?:\#{1,6}|h[1-6][.]|={1,5}) +\S/;    # a heading

my $WORD = qr/Benchmark|BASELINE|Throughput|Overhead|concurrent|bufsize|Whetstone|SpawnMeter/i;
$WORD =
    qr/$WORD|COUNT[|]|Creation|Context|register variables|unixbench|execl|spawn|syscall|parallel/i;

# -> (the text; number of the line from which on nothing is read, or undef)
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

my $DAY = qr{\d{4}-\d\d-\d\d|[A-Z][a-z]{2} [ \d]\d|\d\d[/.](?:\d\d|[A-Z][a-z]{2})[/.]\d{2,4}}a;
my $CLOCK = qr/\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?(?: ?[AaPp][Mm])?/a;
my $STAMP = qr/[\[(]?(?:$DAY[T, ]{1,2})?$CLOCK[\])]?|\[ *\d{1,9}[.]\d{1,9}\]/a;
my $NICK = qr/<[ @+%~&]?[^\s<>]{1,40}>/;
my $SERVICE = qr{(?!Benchmark Run:)[\w.-]{1,80} [\w.@/-]{1,80}(?:\[\d+\])?:}a;

# A time, with a nickname, or with the host and unit of a journal; after the names of a job and
# its step.  What names a service stands before many lines alike, with a colon before all
my $STREAM = qr/\d\d[OE]/a;    # of GitLab's: output or errors
my $OF_TIME = qr/^(?:[^\t]{1,80}\t[^\t]{1,80}\t)?$STAMP(?: $STREAM| $NICK| $SERVICE)?(?: |$)/;
$OF_TIME = qr/$OF_TIME|^$NICK(?: |$)/;
my $OF_SERVICE = qr{^( *[\w.-]{1,80} *[|]|\[[\w ./-]{1,40}\]|[\w.-]{1,80}:)(?: |$)}a;

sub text_lines {
    my ($text, $rest) = near_report(@_);
    $text = MIME::QuotedPrint::decode_qp($text)
        if $text =~ /^Content-Transfer-Encoding: *quoted-printable/mi
        || $text =~ /=3D|=20\r?$/m && $text =~ /\w *=\r?$/m;
    my $number = 0;
    my @lines = map { { number => ++$number, text => cleaned($_) } }
        split /\r\n|\n|\r/, without_markup($text), -1;
    my $whole = $lines[0];    # which lines with a + behind their stream go on with
    for my $line (@lines) {
        if    ($line == $whole || $line->{text} !~ s/^$STAMP $STREAM\+(.*)//) { $whole = $line }
        elsif (length $whole->{text} < LINE_MAX) { $whole->{text} .= $1 }
    }
    without_prefixes(@lines);
    my %end = (text => '(the rest)', item => { kind => 'noise', why => TOO_LONG });
    return (map({ { number => $_->{number}, tidy($_->{text}) } } @lines),
        defined $rest ? { number => $rest, %end } : ());
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
my $FENCE = qr/^(?:`{3,}|~{3,})[^`~]*$|^(?:\{{3}(?:\#!\w+)?|\}{3}|::|[.][.] code(?:-block)?::.*)$/;
$FENCE = qr/$FENCE|^\{(?:code|noformat|quote|panel)(?::[^{}]*)?\}$|^\#\+(?:begin|end)_\w+.*$/i;

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
    return (text => q{}, heading => 0) if $line =~ /^(.{0,200}?) *$/ && "$1" =~ $FENCE;
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
    my ($own, @logical);
    while (my $line = shift @pieces) {
        my $text = $line->{text};
        my $item = $line->{item} || recognise($titles, $text) || { kind => q{} };
        $own = $item->{own} if $item->{kind} eq 'suite';
        my $is_long = $own && ($item->{kind} eq 'posted' || defined $item->{kernel_version});
        my $is_done = $line->{item} || !$is_long && ($text =~ /[|]/ || is_whole($titles, $text));
        push @logical, $is_done ? $line : joined_with($titles, $line, \@pieces, $is_long);
    }
    return @logical;
}

# The line with those that go on with it, which it takes from the next ones: in SpawnMeter's report
# all that say nothing
sub joined_with {
    my ($titles, $line, $next, $is_long) = @_;
    my ($text, $used) = ($line->{text}, 0);
    for my $i (0 .. min(($is_long ? OWN : PIECES) - 2, $#{$next})) {
        my $piece = $next->[$i]{item} ? q{} : $next->[$i]{text};
        last if $piece eq q{} || $piece =~ $BEGINS || (split_title($titles, $piece))[0];
        last if recognise($titles, $piece) || $is_long && looks_like_report($piece);
        $text .= " $piece";
        next if !recognise($titles, $text) || !$is_long && !is_whole($titles, $text);
        ($line, $used) = ({ %{$line}, text => $text }, $i + 1);
        last if !$is_long;
    }
    splice @{$next}, 0, $used;
    return $line;
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

# ---- what a line is ---------------------------------------------------------------------

# Such a line must be readable.  The digits may be those of any script.
my $OF_A_REPORT = qr/Benchmark Run:|running \p{Nd}+ parallel|parallel cop|CPUs? in system/;
$OF_A_REPORT = qr/$OF_A_REPORT|Index Score|FINAL SCORE|BASELINE +RESULT|\p{Nd} samples?\)/;

my ($NUMBER, $COPIES) = (NUMBER, COPIES);
my $TIME = qr/\d{1,2}:\d\d:\d\d/a;
my $COLUMNS = qr/BASELINE +RESULT +INDEX/i;
my $CATEGORY = qr/(?<title>(?:(?!Index)\S+ ){1,4}Benchmarks)/i;
my $PARTIAL = qr/(?<partial> \(Partial Only\))?/i;
my $UNIT = qr/(?<unit>${\UNIT}|score)/;
my $PASSES = qr/[(]? ?(?<seconds>$NUMBER) ?s(?:ecs?[.]?)?,? ?(?<samples>\d{1,6}) ?samples?[)]?/a;
my $TITLE = qr/(?<title>[A-Z\d][A-Za-z\d :=()+'-]*?[A-Za-z)])/a;
my $RATE = qr/(?<rate>$NUMBER) *(?:$UNIT|[(]$UNIT[)]) *|[(]$UNIT[)] *:? *(?<rate>$NUMBER)/;
my $ROW = qr/(?<baseline>$NUMBER) +(?<rate>$NUMBER) +(?<index>$NUMBER)/;

my $VERSION = qr/(?: -- (?<kernel_version>.*))/;
my $CPUS = qr/(?:.*\((?<cpus_online>\d+) CPUs, (?<cpus_usable>\d+) usable\))/a;

# Prompts with commands, and what a server of builds prints around them
my @AROUND = (
    qr{^(?:(?:\[[\w.-]+@[^\]]{1,80}\]|[\w.-]+@[\w.-]+[: ]\S{0,80}?) ?[\$\#%>]|[\$%])(?: |$)}a,
    qr{^(?:(?:sudo|nice|time|\w+=\S*|[#>+]) ?){0,8}[.]{0,2}(?:/[\w.-]+)*/Run(?: |$)}a,
    qr/^(?:\#\#\[|::\w+|Script (?:started|done) |\[Pipeline\]|section_(?:start|end):\d+:)/a,
);

# SpawnMeter's own report: lines of its head, and remarks about the results, which are kept as they
# are printed, and other lines.  Import::Pasted reads its tables
my ($HEADS, $ODD) = (heads(), heads(qw(loader inherited emulated)));
my $HEAD = qr/Build|Measured|Command|$ODD/;
my $BEFORE_1_0 = qr/unsettled|steadied|CLOCK|Each CPU|Memory|Up|Load when the run began/;
$BEFORE_1_0 = qr/$BEFORE_1_0|CPUs \d[\d,-]*|With \d+ cop(?:y|ies)/a;
my $NOTES = qr{(?:$HEADS):|.+,\ \d+\ cop(?:y|ies):\ (?:failed|skipped):
    |[a-z]\S*\ +(?:failed|not\ measured):
    |(?:drift|reference)(?:,\ \d+\ cop(?:y|ies))?:
    |\S+:\ (?:a\ write\ to\ a\ copied\ page|\d+\ %\ of\ the\ children\ began)}ax;
my $OWN =
    qr{RESULT(?::|\ +drift-corrected)\ .*|.*\ [.]/Run\ (?:ab|noise|doctor|kernels|--repeat)\ ?.*
    |\d+\ cop(?:y|ies)\ +\d.*\ [(].*\ [.][.]\ .*|Quote\ the\ .*|.*\ Finer:
    |(?:What\ the\ columns\ mean|All\ columns|Finer|Stored|Page):\ .*}ax;

# [ kind, pattern, or sub (titles, text) -> fields or undef ]; the names in a pattern are fields of
# the item.  Each field of a fact but its host is one of the system of this name
my @RECOGNISERS = (
    [ suite => qr/^BYTE UNIX Benchmarks? \(Version (?<version>[\w.-]+)\)$/ai ],
    [ fact  => qr/^System: *(?:[|] *)?(?<host>.*?)(?:: (?<distribution>.*))?$/ ],
    [ fact  => qr/^System -- (?<system>\S+) (?<host>\S+) (?<kernel_release>\S+)(?: .*)?$/ ],
    [ fact  => qr/^OS: *(?:[|] *)?(?<system>.*?)(?: -- (?<kernel_release>.*?)$VERSION?)?$/ ],
    [ fact  => qr/^Machine: *(?:[|] *)?(?<architecture>[^\s:]*)$CPUS?/ ],
    [
        fact =>
            qr/^CPU(?: |s:[ |]*)0:[ |]*(?![(])(?<cpu_model>\S.*?)(?: *\([\d.]+ bogomips\).*)?$/a
    ],
    [ fact  => qr/^CPU: (?<cpu_model>.+?)(?<virtual>; a virtual machine)?$/ ],
    [ fact  => qr/^(?:Language|CPU \d+): ?.*$/a ],
    [ times => qr/^Benchmark Run: (?<date>.+?),? (?<from>$TIME) ?- ?(?<to>$TIME)$/i ],
    map({ [ copies => $_ ] }
        qr/^(?<cpus>\d+) CPUs? in system; running (?<copies>\d+) parallel cop(?:y|ies) of tests$/ai,
        qr/^Benchmark Run: (?<cpus>\d+) CPUs?; (?<copies>\d+) parallel process(?:es)?$/ai,
        qr/^[*_]*(?:running )?(?<copies>\d{1,9}) (?:parallel )?(?:$COPIES)(?: of tests)?[*_:]*$/ai),
    [ table => qr/^$CATEGORY (?:Partial )?Index(?: Values)? +$COLUMNS$/i ],
    [ table => qr/^(?:[\w ]+: *)?TEST +$COLUMNS$/i ],
    [ score => qr/^$CATEGORY Index Score$PARTIAL:?[ |]+(?<score>$NUMBER)$/i ],
    [
        score =>
            qr/^(?<name>(?i:FINAL SCORE)|AVERAGE|SUM of +\d+ items)$PARTIAL:? +(?<score>$NUMBER)$/
    ],
    [ noise => qr/^(?:(?:Start|End) Benchmark Run: .+|INDEX VALUES|=+|.+ no measured results)$/ ],
    [ noise => qr/^(?:\w+ index|all \d+) .* [+-]\d.*[.]{2}/a ],            # of ./Run compare
    map({ [ noise => $_ ] } @AROUND),
    [ result => figures(qr/^(?:[:=] ?|- )?$RATE(?:$PASSES)?$/, qr/^$TITLE +$RATE$PASSES$/) ],
    [ noise  => qr/[a-z)] {1,2}1 2(?: 3(?: \d+)*)?$/a ],    # the passes, while they run
    [ row    => figures(qr/^(?:$ROW|-{2,3} +(?<rate>$NUMBER) +-{2,3})$/, qr/^$TITLE +$ROW$/) ],
    [ suite  => qr/^(?<own>SpawnMeter) \(Version (?<version>[\w.+~-]+)\)/a ],
    [ posted => qr/^(?<head>$HEAD: .+)$/a ],
    [ posted => qr/^(?:! [A-Z]+|$BEFORE_1_0): .+$/ ],                      # and no label of a block
    [ posted => qr/^(?<notes>(?<quick>QUICK): .+)$/ ],
    [ posted => qr/^RESULT: .*(?<classic>without the worst third).*$/ ],
    [ posted => qr/^(?<notes>$NOTES .+)$/ ],
    [ posted => qr/^(?:Label: (?<label>.+)|INCOMPLETE: (?<incomplete>.+))$/ ],
    [ noise  => qr/^(?:$OWN)$/ ],
);

# A pattern for what follows the title of a test, and one for a line with an unknown title
sub figures {
    my ($behind_title, $whole) = @_;
    return sub {
        my ($titles, $text) = @_;
        my ($test, $rest) = $text =~ /\d/a ? split_title($titles, $text) : return;
        return $text =~ $whole        ? {%+}                  : undef if !$test;
        return $rest =~ $behind_title ? { %+, test => $test } : undef;
    };
}

# A line is looked at several times, while it is joined and read
sub recognise {
    my ($titles, $text) = @_;
    my $known = $titles->{kinds} ||= {};
    return $known->{$text} if length $text > TEXT_MAX || defined $known->{$text};
    for my $recogniser (@RECOGNISERS) {
        my ($kind, $pattern) = @{$recogniser};
        my $fields =
            ref $pattern eq 'CODE' ? $pattern->($titles, $text) : $text =~ $pattern && {%+};
        return $known->{$text} = { kind => $kind, %{$fields} } if $fields;
    }
    return $known->{$text} = 0;
}

sub looks_like_report { my ($text) = @_; return $text =~ $OF_A_REPORT }

# ---- items ----------------------------------------------------------------------------

sub items {
    my ($titles, @lines) = @_;
    return map {
        my ($text, $item) = @{$_}{qw(text item)};
        $item ||=
              !defined $text || $_->{unread} ? { kind => 'column' }
            : $text eq q{}                   ? { kind => 'blank' }
            :                                  recognise($titles, $text) || { kind => 'other' };
        my $number = number($item->{rate} // $item->{score} // q{});
        +{ %{$_}, line => $_->{number}, %{$item}, number => $number }
    } @lines;
}

1;
