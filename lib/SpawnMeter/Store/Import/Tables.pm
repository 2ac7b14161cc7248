# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Tables;

# The results, index tables and scores of a posted report: which parts a line has, and what
# it adds to the runs that are being read (Import::Run has the state).  What the numbers
# mean is decided at the end, when the whole report is known (Import::Settle).  Pure functions.
#
#   result_parts(titles, text), row_parts(titles, text) -> { name => part of the line }, or
#       undef where the line is no result, or no row of an index table
#   read_result(state, parts), read_row(state, parts), read_table(state, parts),
#   read_score(state, parts) -> what is wrong with the line, or undef
#
# What is kept of a result: { line, text, rate => its text, readings => numbers that it can
# mean (Import::Numbers), doubt => why its number alone is not enough, unit, seconds, samples
# }; of a row: { line, text, rows => [ { baseline, rate, index => texts } ]: ways to read it,
# readings => rates that it can mean, category }

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(first);
use SpawnMeter::Store::Import::Numbers qw(number_pattern grouped_pattern readings);
use SpawnMeter::Store::Import::Run
    qw(new_run current_run current_block block_without_copies cell_of_result cell_of_row);
use SpawnMeter::Store::Import::Titles qw(split_title resembles unit_of name_of);

our @EXPORT_OK = qw(result_parts row_parts read_result read_row read_table read_score);

use constant TITLE_MAX => 60;    # characters

my $NUMBER = number_pattern();
my $GROUPED = grouped_pattern();
my $UNIT = qr/(?<unit>lps|lpm|KBps|MWIPS|MFLOPS|fps|score)/;
my $PASSES = qr/[(]? ?(?<seconds>$NUMBER) ?s(?:ecs?[.]?)?,? ?(?<samples>\d{1,6}) ?samples?[)]?/a;
my $TITLE = qr/(?<title>[A-Z\d][A-Za-z\d :=()+'-]*?[A-Za-z)])/a;
my $NONE = qr/-{2,3}/;
my $RESULT = qr/^(?:: ?)?(?<rate>$GROUPED) *$UNIT *(?:$PASSES)?$/;
my $UNKNOWN_RESULT = qr/^$TITLE +(?<rate>$GROUPED) *$UNIT *$PASSES$/;
my $UNKNOWN_ROW = qr/^$TITLE +(?<rest>$NUMBER[\d.,' ]*)$/a;

# ---- parts of a line ----------------------------------------------------------------

sub result_parts {
    my ($titles, $text) = @_;
    my ($test, $rest) = split_title($titles, $text);
    return $text =~ $UNKNOWN_RESULT ? {%+}                  : undef if !$test;
    return $rest =~ $RESULT         ? { %+, test => $test } : undef;
}

sub row_parts {
    my ($titles, $text) = @_;
    my ($test, $rest) = split_title($titles, $text);
    my %of = (test => $test);
    if (!$test) {
        return if $text !~ $UNKNOWN_ROW;
        %of = (%of, %+);
        $rest = delete $of{rest};
    }
    return { %of, rate => $1 } if $test && $rest =~ /^$NONE +($NUMBER) +$NONE$/;
    my @rows = partitions($rest);
    return @rows ? { %of, rows => \@rows } : undef;
}

# Ways to read a text as three numbers, some of them with thousands by blanks
sub partitions {
    my ($text) = @_;
    my @names = qw(baseline rate index);
    my @words = split / +/, $text;
    return if @words < 3 || @words > 15 || grep { !/^$NUMBER$/ } @words;
    return { map { $names[$_] => $words[$_] } 0 .. 2 } if @words == 3;
    my @rows;
    for my $i (1 .. @words - 2) {
        for my $j ($i + 1 .. @words - 1) {
            my @numbers = map { join q{ }, @{$_} } [ @words[ 0 .. $i - 1 ] ],
                [ @words[ $i .. $j - 1 ] ], [ @words[ $j .. $#words ] ];
            next if grep { !/^$GROUPED$/ } @numbers;
            push @rows, { map { $names[$_] => $numbers[$_] } 0 .. 2 };
        }
    }
    return @rows;
}

# ---- results ------------------------------------------------------------------------

# A title that no test has is that of a test only if it resembles no title of a test
sub test_of_parts {
    my ($state, $found) = @_;
    my $test = $found->{test};
    return is_of_version($state, $found)
        ? $test
        : "no test of this version has the title '$test->{title}'"
        if $test;
    my $title = $found->{title};
    return 'the words before its numbers are not the title of a test'
        if length $title > TITLE_MAX || $title =~ /\d[.,]\d/a;
    my $known = resembles($state->{titles}, $title);
    return "no test has the title '$title' (the nearest one is '$known')" if defined $known;
    return { name => name_of($title), title => $title, unit => unit_of($title) };
}

# A title of 3.11 can be another one with a word more
sub is_of_version {
    my ($state, $found) = @_;
    return 1 if !defined $found->{test}{only_in};
    my $suite = current_run($state)->{suite};
    return $suite =~ /^UnixBench 3[.]/ if defined $suite;
    return !defined $found->{seconds} || $found->{seconds} !~ /[.,]/;
}

sub read_result {
    my ($state, $found) = @_;
    my $test = test_of_parts($state, $found);
    return $test if !ref $test;
    my @readings = in_style($state, readings($found->{rate}));
    return "'$found->{rate}' is not a number" if !@readings;
    return 'its result is not above 0' if grep { $_->{value} <= 0 } @readings;
    return "its unit is $found->{unit}, and that of this test is $test->{unit}"
        if $found->{test} && $found->{unit} ne $test->{unit};
    my %result = (
        line     => $state->{line},
        text     => $state->{text},
        readings => \@readings,
        doubt    => scalar doubt($state, $found, @readings),
        map { $_ => $found->{$_} } qw(rate unit seconds samples),
    );
    my $cell = cell_of_result($state, $test, $readings[0]);
    my $again = first { $_->{rate} eq $result{rate} } @{ $cell->{results} };
    push @{ $cell->{results} }, \%result if !$again;
    return;
}

# Why the text of a number is not enough to know what it means
sub doubt {
    my ($state, $found, @readings) = @_;
    return "'$found->{rate}' can be $readings[0]{value} or $readings[1]{value}" if @readings > 1;
    return "'$found->{rate}' can be two numbers" if $found->{rate} =~ / /;
    return "'$found->{rate}' does not have one decimal, as the others have"
        if defined $found->{samples} && $state->{style} && $readings[0]{decimals} != 1;
    return;
}

# Where the text has numbers that show its decimal separator, the other one is between
# thousands
sub in_style {
    my ($state, @readings) = @_;
    my $style = $state->{style} || q{};
    my $other = $style eq q{.} ? 'commas' : $style eq q{,} ? 'dots' : return @readings;
    return grep { !defined $_->{$other} || $_->{$other} eq 'thousands' } @readings;
}

# ---- index tables -------------------------------------------------------------------

# Words with three numbers are a row only in a table or after the title of a test
sub read_row {
    my ($state, $found) = @_;
    return
           if !$found->{test}
        && !defined $state->{table}
        && !defined resembles($state->{titles}, $found->{title});
    my $test = test_of_parts($state, $found);
    return $test if !ref $test;
    return 'it stands among results'
        if !defined $state->{table}
        && !$state->{in_table}
        && ($state->{previous} || q{}) eq 'result';
    my @rates = $found->{rows} ? map { $_->{rate} } @{ $found->{rows} } : $found->{rate};
    my @readings = map { readings($_) } @rates;
    my $cell = cell_of_row($state, $test, $readings[0]);
    my $row = {
        line     => $state->{line},
        text     => $state->{text},
        readings => \@readings,
        category => $state->{table},
        %{$found},
    };
    push @{ $cell->{rows} }, $row if !grep { $_->{text} eq $row->{text} } @{ $cell->{rows} };
    $state->{block}{tables}{ defined $state->{table} ? $state->{table} : q{} }++;
    return;
}

# Of an index table or a score.  4.1 and 3.11 have one table, without a title.
sub title_of { my ($found) = @_; return defined $found->{category} ? $found->{category} : '4.1' }

# The one table of 4.1 and the tables of 5.x are of different runs
sub has_other_form {
    my ($state, $title) = @_;
    my %titles = map { %{ $_->{tables} } } @{ current_run($state)->{blocks} };
    return grep { length && $titles{$_} && ($_ eq '4.1' xor $title eq '4.1') } keys %titles;
}

sub read_table {
    my ($state, $found) = @_;
    my $title = title_of($found);
    new_run($state) if has_other_form($state, $title);
    my $block = current_block($state);
    $block = block_without_copies($state) if $block->{tables}{$title};
    $block->{tables}{$title} ||= 0;
    $block->{label} = $state->{label} if !defined $block->{label};
    $state->{table} = $title;
    $state->{label} = undef;
    return if $title ne '4.1';
    $block->{form}   ||= '4.1';
    $block->{copies} ||= 1;       # these versions never run more
    return;
}

sub read_score {
    my ($state, $found) = @_;
    my $block = current_block($state);
    my $name = $found->{name} || q{};
    $block->{form} = $name eq 'FINAL SCORE' ? '4.1' : '3.11' if length $name;
    $state->{table} = undef;
    return if $name =~ /^SUM/;
    my @readings = in_style($state, readings($found->{score}));
    return "'$found->{score}' can be two numbers" if @readings != 1;
    my %score = (
        title   => title_of($found),
        block   => $block,
        score   => $readings[0]{value},
        partial => defined $found->{partial} ? 1 : 0,
        line    => $state->{line},
        text    => $state->{text},
    );
    $block->{scores}++;
    my ($other) = grep { $_->{block} == $block && $_->{title} eq $score{title} }
        @{ current_run($state)->{scores} };
    return push_score($state, \%score) if !$other;
    return if $other->{score} == $score{score};
    return "it is a second score; the first one is $other->{score}";
}

sub push_score {
    my ($state, $score) = @_;
    push @{ $state->{run}{scores} }, $score;
    return;
}

1;
