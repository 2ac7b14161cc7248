# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Own;

# Recognisers of what only SpawnMeter's own text report has: its head, the table under the
# indices, and the remarks about the quality of the results.  Items of the kinds
#   says    says => [ { test => name, copies => undef where they are those of the block, fields }
#           ]: what is known of results above, fields of Analysis::Record's result; start =>
#           { period => [microseconds] } adds to what is there
#   posted  list => head (build and settings) or notes, kept => text, as it is
#   about   of the run: label, incomplete => reason, protocol => name
#   begun   a row of its tables that a mailer may have cut: only in SpawnMeter's own report
# An item whose line can be longer than the page has `more` => sub (text, next line's text) ->
# true where they belong together.

use strict;
use warnings;
use SpawnMeter::Analysis::Quantity   qw(periods);
use SpawnMeter::Store::Import::Items qw(recogniser);

my $DURATION = qr/(?:[\d.]+(?:us|ms|s)|-)/a;
my $FIVE = qr/(?<times>$DURATION(?: +$DURATION){4})/;
my $SIX = qr/(?<times>$DURATION(?: +$DURATION){5})/;
my $PERIODS = join q{|}, periods();
my $RATE = qr{(?:[\d.]+M?\S{2,5}|-)}a;
my $SHARE = qr/(?:>?[\d.]+%|-)/a;
my $FIELD = qr/(?:$DURATION|$SHARE|[\d.]+M?(?:\/(?:s|min))?)/a;

# The table of version 1.0, with -v a second one, and the one of earlier versions
my @TABLES = (
    qr{(?<pm>$SHARE)[ ]+(?<rate>$RATE)[ ]+(?<steadied>$SHARE)[ ]+(?<p99>$DURATION)
        [ ]+(?<faults>\d+|-)[ ]+(?<blocked>$DURATION)(?:[ ]+(?<word>[!\dfs][ \w]+))?}ax,
    qr/(?<best>[\d.]+|-) +$SIX/a,
    qr/(?<pm>$SHARE) +(?<best>$RATE) +$SIX(?: (?<word>!))?/a,
);

# Lines of the head that are kept as they are printed
my $HEAD =
    qr/Build|Measured|Command|CLOCK|LOADER|INHERITED|EMULATED|Each\ CPU|CPUs\ \d[\d,-]*|Memory|Up
    |Load\ when\ the\ run\ began|With\ \d+\ cop(?:y|ies)/ax;

my %US = (us => 1, ms => 1e3, s => 1e6);

# What a rate's text is multiplied with, by its end (Util::Format)
my %TIMES = (
    'GB/s'  => 1024**2,
    'MB/s'  => 1024,
    'KB/s'  => 1,
    'M/s'   => 1e6,
    '/s'    => 1,
    'M/min' => 1e6,
    '/min'  => 1,
    'MWIPS' => 1,
);

# An item of a list of quality: "test (5 of 12 passes)", "test (1.8 CPUs)", "test +/- 7.0%",
# "test 3"; and the beginning of one that a mailer has wrapped
my $ITEM = qr/[a-z]\S* (?:[(](?:(?:\d+ of \d+|too few) passes|[\d.]+ CPUs)[)]|[+]\/- [\d.]+%|\d+)/a;
my $CUT = qr/[a-z]\S* [(+][^,]*\z/;

recogniser(
    suite => qr/^SpawnMeter \(Version (?<version>[\w.+~-]+)\)/a,
    sub { return (suite => $_[0]{version}, own => 1) }
);
recogniser(
    fact => qr/^CPU: (?<model>.+?)(?<virtual>; a virtual machine)?$/,
    sub { return (legend => 1, system => { cpu_model => $_[0]{model} }, virtual => $_[0]{virtual}) }
);
recogniser(
    posted => qr/^(?<line>$HEAD: .+)$/a,
    sub {
        return (list => 'head', kept => $_[0]{line}, more => sub { return 1 });
    }
);
recogniser(says => qr/^(?:(?<test>[a-z]\S*) +)?$_$/, \&row) for @TABLES;
recogniser(
    says => qr/^(?<test>[a-z]\S*) +$FIVE$/,
    sub { return (says => [ { test => $_[0]{test}, stall => [ microseconds($_[0]{times}) ] } ]) }
);
recogniser(
    says => qr/^(?<test>[a-z]\S*) (?<period>$PERIODS) +$FIVE$/,
    sub {
        my ($of) = @_;
        my %start = ($of->{period} => [ microseconds($of->{times}) ]);
        return (says => [ { test => $of->{test}, start => \%start } ]);
    }
);
recogniser(
    says => qr/^(?<what>! (?:DISTURBED|BUSY)|unsettled|outliers [(]kept[)]): (?<tests>.+)$/,
    sub {
        my ($of) = @_;
        my @says = map { quality_of($of->{what}, $_) } split /, /, $of->{tests};
        return (says => \@says, more => \&continues_list);
    }
);
recogniser(
    says => qr/^Only a share of the iterations was timed: (?<tests>.+)$/,
    sub {
        my ($list) = $_[0]{tests};
        my @says;
        push @says, { test => $1, copies => $2, timed => $3 / 100 }
            while $list =~ /(\S+), (\d+) cop(?:y|ies), ([\d.]+)%/ag;
        return (says => \@says, more => sub { return $_[1] =~ /[\d.]+%/a });
    }
);
recogniser(
    posted => qr{^(?<line>(?:
        (?:Flagged\ as\ disturbed|No\ index|FAULT|Precise|NOISY|BUSY|DISTURBED|Intervals):\ .+
        |.+,\ \d+\ cop(?:y|ies):\ (?:failed|skipped):\ .+|Two\ (?:speeds|layouts):\ .+
        |(?:drift|reference|steadied)(?:,\ \d+\ cop(?:y|ies))?:\ .+|Two\ such\ runs\ .+
        |The\ machine's\ speed\ changed\ .+|\S+:\ a\ write\ to\ a\ copied\ page\ .+))$}ax,
    sub {
        return (list => 'notes', kept => $_[0]{line}, more => sub { return 1 });
    }
);
recogniser(
    begun => qr/^(?<test>[a-z]\S*)(?: $PERIODS)?(?: +$FIELD){1,7}$/,
    sub {
        return (more => sub { return $_[1] =~ /^(?:$FIELD(?: |$)|[!] [a-z])/ });
    }
);
recogniser(about => qr/^Label: (?<label>.+)$/);
recogniser(about => qr/^INCOMPLETE: (?<incomplete>.+)$/);
recogniser(about => qr/^QUICK: .+$/, sub { return (protocol => 'quick') });
recogniser(
    about => qr/^RESULT: (?<text>.+)$/,
    sub { return $_[0]{text} =~ /without the worst third/ ? (protocol => 'classic') : () }
);
recogniser(
    noise => qr{^(?:RESULT\ +drift-corrected\ .*|test\ +(?:[+]/-\ +(?:rate|best)|best)\ .*
        |Summary\ .*|\d+\ cop(?:y|ies)\ +\d.*\ [(].*\ [.][.]\ .*|Quote\ the\ .*|Do:\ .*
        |.*\ [.]/Run\ (?:ab|noise|doctor|--repeat)\ ?.*|Stored:\ .*|Page:\ .*|[*]{3,}.*
        |What\ the\ columns\ mean:\ .*|The\ (?:creating\ call|start-up\ of\ the\ target).*
        |(?:STALL|START):\ .*)$}ax
);

# What a row of a table says of its test
sub row {
    my ($of) = @_;
    my ($cpu, @latency) = defined $of->{times} ? microseconds($of->{times}) : ();
    my ($p99, $blocked) = map { defined $_ ? microseconds($_) : undef } @{$of}{qw(p99 blocked)};
    @latency = (undef, undef, $p99, undef, undef) if defined $p99;
    my %said = (test => $of->{test});
    $said{floor} = rate_of($of->{best}) if defined $of->{best};
    $said{cpu_us} = $cpu if defined $of->{times};
    $said{latency} = \@latency if grep { defined } @latency;
    $said{stall} = [ $blocked, (undef) x 4 ] if defined $blocked;

    if (defined $of->{pm}) {
        $said{plus_minus} = share_of($of->{pm});
        $said{disturbed} = defined $of->{word} && $of->{word} =~ /^!/ ? 1 : 0;
    }
    if (defined $of->{faults}) {
        my $rate = rate_of($of->{rate});
        my %steadied = (rate => $rate, plus_minus => scalar share_of($of->{steadied}));
        $said{steadied} = \%steadied if $rate;
        @said{qw(faults_parent faults_child)} = (0, $of->{faults} + 0) if $of->{faults} ne q{-};
    }
    return (says => [ \%said ], unnamed => !defined $of->{test}, beside => 1);
}

sub microseconds {
    my ($times) = @_;
    return map { /^([\d.]+)([a-z]+)$/a ? $1 * $US{$2} : undef } split / +/, $times;
}

sub share_of { my ($text) = @_; return $text =~ /^([\d.]+)%/a ? $1 / 100 : undef }

sub rate_of {
    my ($text) = @_;
    my ($number, $unit) = $text =~ m{^([\d.]+)(\D*)$}a or return;
    return $number * ($TIMES{$unit} || 1);
}

sub quality_of {
    my ($what, $item) = @_;
    my ($test, $number) = $item =~ /^(\S+) \(?(?:[+]\/- )?([\d.]*)/a or return;
    return
          $what eq 'unsettled' ? { test => $test, settled => 0 }
        : $what =~ /^outliers/ ? { test => $test, outliers => $number || 0 }
        : $what eq '! BUSY'    ? { test => $test, disturbed => 1, busy => $number || 0 }
        :                        { test => $test, disturbed => 1, flagged => $number || 0 };
}

sub continues_list {
    my ($list, $text) = @_;
    my ($last) = $list =~ /^(?:.*, |[^:]*: )(.*)$/;
    $text = "$last $text" if $last !~ /^(?:$ITEM)?,?\z/;
    return $text =~ /^(?:$ITEM(?:,|$)|$CUT)/;
}

1;
