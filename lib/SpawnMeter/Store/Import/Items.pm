# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Items;

# What each line of a posted text is: a table of recognisers knows the kinds.  Pure functions.
#
#   recognise(titles, text) -> item { kind, fields }, or undef where no recogniser knows the text.
#       The first that matches is taken
#   looks_like_report(text) -> true where it has words that only a report has
#   items(titles, lines of Import::Tables) -> ([items]) { kind, line => its number, text, heading,
#       fields }; of a line that has one already its item.  Fields that are not parts of the line:
#         score, result, row  number => of Import::Words, or undef
#         result, row  test => of Import::Words, or undef; doubt => why its number alone is not
#                 enough
#         row     baseline, rate, index, or rate alone
#         column  what Import::Tables says of the next lines
#         says    says => { test => name, fields }: what a table of SpawnMeter says of a result
#                 above, fields of Analysis::Record's result; start => { period =>
#                 [microseconds] } adds to what is there
#       Of other kinds: noise (neither figures nor names), blank, other

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Findings   qw(heads);
use SpawnMeter::Store::Import::Words qw(NUMBER UNIT COPIES number split_title);

our @EXPORT_OK = qw(recognise looks_like_report items);

use constant {
    TEXT_MAX  => 2000,      # characters of a line of a report
    KNOWN_MAX => 10_000,    # texts whose kind is remembered: a bound on memory
};

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
my $HEAD = qr/Build|Measured|Command|CLOCK|$ODD|Each\ CPU|CPUs\ \d[\d,-]*|Memory|Up
    |Load\ when\ the\ run\ began|With\ \d+\ cop(?:y|ies)/ax;
my $NOTES = qr{(?:$HEADS):|.+,\ \d+\ cop(?:y|ies):\ (?:failed|skipped):
    |[a-z]\S*\ +(?:failed|not\ measured):
    |(?:drift|reference|steadied)(?:,\ \d+\ cop(?:y|ies))?:|Two\ such\ runs
    |The\ machine's\ speed\ changed|\S+:\ a\ write\ to\ a\ copied\ page
    |\S+:\ \d+\ %\ of\ the\ children\ began}ax;
my $OWN = qr{RESULT(?::|\ +drift-corrected)\ .*
    |\d+\ cop(?:y|ies)\ +\d.*\ [(].*\ [.][.]\ .*|Quote\ the\ .*|Do:\ .*
    |.*\ [.]/Run\ (?:ab|noise|doctor|kernels|--repeat)\ ?.*|Stored:\ .*|Page:\ .*|[*]{3,}.*
    |(?:What\ the\ columns\ mean|All\ columns|Finer):\ .*|.*\ Finer:}ax;

# [ kind, pattern, or sub (titles, text) -> fields or undef ]; the names in a pattern are fields of
# the item.  Each field of a fact but its host is one of the system of this name
my @RECOGNISERS = (
    [ suite => qr/^BYTE UNIX Benchmarks? \(Version (?<version>[\w.-]+)\)$/ai ],
    [ fact  => qr/^System: *(?:[|] *)?(?<host>.*?)(?:: (?<distribution>.*))?$/ ],
    [ fact  => qr/^System -- (?<system>\S+) (?<host>\S+) (?<kernel_release>\S+)(?: .*)?$/ ],
    [ fact  => qr/^OS: *(?:[|] *)?(?<system>.*?)(?: -- (?<kernel_release>.*?)$VERSION?)?$/ ],
    [ fact  => qr/^Machine: *(?:[|] *)?(?<architecture>\S*)$CPUS?/ ],
    [ fact  => qr/^CPU 0: ?(?! *[(])(?<cpu_model>\S.*?)(?: *\([\d.]+ bogomips\).*)?$/a ],
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
    [ posted => qr/^(?:! [A-Z]+|unsettled): .+$/ ],                        # of versions before 1.0
    [ posted => qr/^(?<notes>(?<quick>QUICK): .+)$/ ],
    [ about  => qr/^RESULT: .*(?<classic>without the worst third).*$/ ],
    [ posted => qr/^(?<notes>$NOTES .+)$/ ],
    [ about  => qr/^(?:Label: (?<label>.+)|INCOMPLETE: (?<incomplete>.+))$/ ],
    [ noise  => qr/^(?:$OWN)$/ ],
);

# A pattern for what follows the title of a test, and one for a line with an unknown title
sub figures {
    my ($behind_title, $whole) = @_;
    return sub {
        my ($titles, $text) = @_;
        my ($test, $rest) = split_title($titles, $text);
        return $text =~ $whole        ? {%+}                  : undef if !$test;
        return $rest =~ $behind_title ? { %+, test => $test } : undef;
    };
}

# A line is looked at several times, while it is joined and read
sub recognise {
    my ($titles, $text) = @_;
    return if length $text > TEXT_MAX;
    my $items = $titles->{kinds} ||= {};
    %{$items} = () if keys %{$items} > KNOWN_MAX;
    return $items->{$text} //= recognise_new($titles, $text) || 0;
}

sub recognise_new {
    my ($titles, $text) = @_;
    for my $recogniser (@RECOGNISERS) {
        my ($kind, $pattern) = @{$recogniser};
        my $fields =
            ref $pattern eq 'CODE' ? $pattern->($titles, $text) : $text =~ $pattern && {%+};
        return { kind => $kind, %{$fields} } if $fields;
    }
    return;
}

sub looks_like_report { my ($text) = @_; return $text =~ $OF_A_REPORT }

# ---- items ----------------------------------------------------------------------------

sub items {
    my ($titles, @streams) = @_;
    return map { [ items_of_stream($titles, @{$_}) ] } @streams;
}

sub items_of_stream {
    my ($titles, @lines) = @_;
    my ($own, @items);
    for my $line (@lines) {
        my $text = $line->{text};
        my $item =
              $line->{item}                     ? $line->{item}
            : !defined $text || $line->{unread} ? { kind => 'column' }
            : $text eq q{}                      ? { kind => 'blank' }
            :                                     recognise($titles, $text);
        next if !$item && $own && @items && is_continued($titles, $items[-1], $text);
        $item ||= { kind => 'other' };
        push @items, { %{$line}, line => $line->{number}, %{$item}, number_of($item) };
        $own = $item->{own} if $item->{kind} eq 'suite';
    }
    return @items;
}

# A line of SpawnMeter's report that can be longer than the page: the item gets the text of the
# next line
sub is_continued {
    my ($titles, $item, $text) = @_;
    return if looks_like_report($text);
    return if $item->{kind} ne 'posted' && !defined $item->{kernel_version};
    my $whole = recognise($titles, "$item->{text} $text") or return;
    %{$item} = (%{$item}, %{$whole}, text => "$item->{text} $text");
    return 1;
}

# What its number is, and why that is in doubt
sub number_of {
    my ($item) = @_;
    my $text = $item->{kind} =~ /^(?:result|row)$/ ? $item->{rate} : $item->{score};
    return if !defined $text;
    my $is_odd = $text =~ /^\d{1,3}[.,]\d{3}$/a;
    my $doubt = $is_odd ? "'$text' can have thousands or decimals" : undef;
    return (number => scalar number($text), doubt => $doubt);
}

1;
