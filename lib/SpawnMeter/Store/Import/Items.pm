# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Items;

# What each line of a posted text is.  A recogniser knows one kind of line and registers itself.
# Pure functions.
#
#   recogniser(kind, pattern or sub (titles, text) -> { name => part of the line } or undef, sub
#       (parts) -> fields of the item; without it the parts are the fields)
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

my @RECOGNISERS;    # [ kind, pattern, what reads it ]

sub recogniser {
    my (@recogniser) = @_;
    push @RECOGNISERS, \@recogniser;
    return;
}

# A line is looked at several times, while it is joined, separated and read
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
        my ($kind, $pattern, $read) = @{$recogniser};
        my $parts =
              ref $pattern eq 'CODE' ? $pattern->($titles, $text)
            : $text =~ $pattern      ? {%+}
            :                          next;
        return { kind => $kind, $read ? $read->($parts) : %{$parts} } if $parts;
    }
    return;
}

sub looks_like_report { my ($text) = @_; return $text =~ $OF_A_REPORT }

# ---- the head of a report -------------------------------------------------------------

recogniser(suite => qr/^BYTE UNIX Benchmarks? \(Version (?<version>[\w.-]+)\)$/ai);
my $VERSION = qr/(?: -- (?<kernel_version>.*))/;
my $CPUS = qr/(?:.*\((?<cpus_online>\d+) CPUs, (?<cpus_usable>\d+) usable\))/a;

# Each part of the line but its host is a fact of the system of this name
recogniser(fact => $_)
    for (
    qr/^System: *(?:[|] *)?(?<host>.*?)(?:: (?<distribution>.*))?$/,
    qr/^System -- (?<system>\S+) (?<host>\S+) (?<kernel_release>\S+)(?: .*)?$/,
    qr/^OS: *(?:[|] *)?(?<system>.*?)(?: -- (?<kernel_release>.*?)$VERSION?)?$/,
    qr/^Machine: *(?:[|] *)?(?<architecture>\S*)$CPUS?/,
    qr/^CPU 0: ?(?! *[(])(?<cpu_model>\S.*?)(?: *\([\d.]+ bogomips\).*)?$/a,
    qr/^CPU: (?<cpu_model>.+?)(?<virtual>; a virtual machine)?$/,
    qr/^(?:Language|CPU \d+): ?.*$/a,
    );
recogniser(times  => qr/^Benchmark Run: (?<date>.+?),? (?<from>$TIME) ?- ?(?<to>$TIME)$/i);
recogniser(copies => $_)
    for (
    qr/^(?<cpus>\d+) CPUs? in system; running (?<copies>\d+) parallel cop(?:y|ies) of tests$/ai,
    qr/^Benchmark Run: (?<cpus>\d+) CPUs?; (?<copies>\d+) parallel process(?:es)?$/ai,
    qr/^[*_]*(?:running )?(?<copies>\d{1,9}) (?:parallel )?(?:$COPIES)(?: of tests)?[*_:]*$/ai,
    );

# ---- figures --------------------------------------------------------------------------

recogniser(table => qr/^$CATEGORY (?:Partial )?Index(?: Values)? +$COLUMNS$/i);
recogniser(table => qr/^(?:[\w ]+: *)?TEST +$COLUMNS$/i);
recogniser(score => qr/^$CATEGORY Index Score$PARTIAL:?[ |]+(?<score>$NUMBER)$/i);
recogniser(score =>
        qr/^(?<name>(?i:FINAL SCORE)|AVERAGE|SUM of +\d+ items)$PARTIAL:? +(?<score>$NUMBER)$/);
recogniser(
    noise => qr/^(?:(?:Start|End) Benchmark Run: .+|INDEX VALUES|=+|.+ no measured results)$/);
recogniser(noise => qr/^(?:\w+ index|all \d+) .* [+-]\d.*[.]{2}/a);    # of ./Run compare

# Prompts with commands, and what a server of builds prints around them
recogniser(noise => $_)
    for (
    qr{^(?:(?:\[[\w.-]+@[^\]]{1,80}\]|[\w.-]+@[\w.-]+[: ]\S{0,80}?) ?[\$\#%>]|[\$%])(?: |$)}a,
    qr{^(?:(?:sudo|nice|time|\w+=\S*|[#>+]) ?){0,8}[.]{0,2}(?:/[\w.-]+)*/Run(?: |$)}a,
    qr/^(?:\#\#\[|::\w+|Script (?:started|done) |\[Pipeline\]|section_(?:start|end):\d+:)/a,
    );
recogniser(result => figures(qr/^(?:[:=] ?|- )?$RATE(?:$PASSES)?$/, qr/^$TITLE +$RATE$PASSES$/));
recogniser(noise  => qr/[a-z)] {1,2}1 2(?: 3(?: \d+)*)?$/a);           # the passes, while they run
recogniser(row    => figures(qr/^(?:$ROW|-{2,3} +(?<rate>$NUMBER) +-{2,3})$/, qr/^$TITLE +$ROW$/));

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

# ---- SpawnMeter's own report ------------------------------------------------------------
#
# Its head, and the remarks about the quality of the results; Import::Pasted reads its tables.

my ($HEADS, $ODD) = (heads(), heads(qw(loader inherited emulated)));

# Lines of the head, and remarks about the results, that are kept as they are printed
my $HEAD = qr/Build|Measured|Command|CLOCK|$ODD|Each\ CPU|CPUs\ \d[\d,-]*|Memory|Up
    |Load\ when\ the\ run\ began|With\ \d+\ cop(?:y|ies)/ax;
my $NOTES = qr{(?:$HEADS):|.+,\ \d+\ cop(?:y|ies):\ (?:failed|skipped):
    |[a-z]\S*\ +(?:failed|not\ measured):
    |(?:drift|reference|steadied)(?:,\ \d+\ cop(?:y|ies))?:|Two\ such\ runs
    |The\ machine's\ speed\ changed|\S+:\ a\ write\ to\ a\ copied\ page
    |\S+:\ \d+\ %\ of\ the\ children\ began}ax;

recogniser(suite  => qr/^(?<own>SpawnMeter) \(Version (?<version>[\w.+~-]+)\)/a);
recogniser(posted => qr/^(?<head>$HEAD: .+)$/a);
recogniser(posted => qr/^(?:! [A-Z]+|unsettled): .+$/);                     # of versions before 1.0
recogniser(posted => qr/^(?<notes>(?<quick>QUICK): .+)$/);
recogniser(about  => qr/^RESULT: .*(?<classic>without the worst third).*$/);
recogniser(posted => qr/^(?<notes>$NOTES .+)$/);
recogniser(about  => qr/^(?:Label: (?<label>.+)|INCOMPLETE: (?<incomplete>.+))$/);
recogniser(
    noise => qr{^(?:RESULT(?::|\ +drift-corrected)\ .*
        |\d+\ cop(?:y|ies)\ +\d.*\ [(].*\ [.][.]\ .*|Quote\ the\ .*|Do:\ .*
        |.*\ [.]/Run\ (?:ab|noise|doctor|kernels|--repeat)\ ?.*|Stored:\ .*|Page:\ .*|[*]{3,}.*
        |(?:What\ the\ columns\ mean|All\ columns|Finer):\ .*|.*\ Finer:)$}ax
);

# ---- items ----------------------------------------------------------------------------

sub items {
    my ($titles, @streams) = @_;
    my $has_decimals = grep { defined && /\d[.]\d+(?!\d)/a && split_title($titles, $_) }
        map { $_->{text} } map { @{$_} } @streams;
    return map { [ items_of_stream($titles, $has_decimals, @{$_}) ] } @streams;
}

sub items_of_stream {
    my ($titles, $has_decimals, @lines) = @_;
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
        my %number = number_of($item, $has_decimals);
        push @items, { %{$line}, line => $line->{number}, %{$item}, %number };
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
    my ($item, $has_decimals) = @_;
    my $text = $item->{kind} =~ /^(?:result|row)$/ ? $item->{rate} : $item->{score};
    return if !defined $text;
    my $number = number($text);
    my $decimals = $number ? $number->{decimals} : 1;
    my $doubt =
          $text =~ /^\d{1,3}[.,]\d{3}$/a ? "'$text' can have thousands or decimals"
        : $has_decimals
        && defined $item->{samples}
        && $decimals != 1 ? "'$text' does not have one decimal, as the others have"
        : undef;
    return (number => $number, doubt => $doubt);
}

1;
