# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Pasted;

# SpawnMeter's own tables: the screen (Report::Text::Screen) below the classic part of its report or
# alone, wrapped or in one of its narrow forms, and rankings of ./Run compare (Report::Verdicts).
# Tables that -v adds to the results of a number of copies are not read.  Pure functions.
#
#   lines_of_screens(titles of Import::Words, lines of Import::Lines) -> (lines); those of a table,
#       screen or ranking have item => what Import::Lines would read; of a ranking's machine also
#       stream => its number
#
# A screen with the classic part adds to its results; one alone has them, and its own head.

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(first);
use SpawnMeter::Store::Import::Words qw(printed_rate quantity test_named);

our @EXPORT_OK = qw(lines_of_screens);

use constant {
    PIECES  => 24,     # lines that a paragraph can be folded into
    BUSY    => 0.3,    # CPUs that others use at least where a run is busy (Analysis::Disturbance)
    CUT     => 'the rest of this row is missing',
    DETAILS => 'the rows below it are not read: they only add to the results above',
};

# BUSY, version and machine on one line; the date at the end of the next one
my $HEAD = qr/^(?:BUSY:[ ]other[ ]processes[ ]used[ ](?<busy>[\d.]+)(?:[ ]of[ ]\d+)?[ ]CPUs
    \b.*?[ ])?SpawnMeter[ ](?<suite>\d[\w.+~-]*)
    (?:[ ]{2,}|[ ]+(?=.*\bCPUs?\b))(?<facts>\S.*)$/ax;
my $DATE = qr/\s(\d{4}-\d\d-\d\d(?:,\s[\d:]+\s(?:minutes|seconds?))?)$/a;
my $COPIES = qr/(\d{1,5}) cop(?:y|ies)/a;
my $INDEX = qr/^(?:(?<title>(?:\w+[ ]){1,2})index[ ]+)?(?<score>[\d.]+)
    (?:[ ][(](?<low>[\d.]+)[ ][.][.][ ](?<high>[\d.]+)[)])?
    [ ]+(?<copies>\d{1,5})[ ]cop(?:y|ies)(?:,[ ]\S+[ ]times)?$/ax;
my $ROW = qr/^[a-z][\w.+-]* +(?:[\d.>]\S*|failed|skipped|-|[a-z]+(?= +[\d.-]))(?: |$)/a;
my $MORE = qr/^(?:[\d.>-]|failed|skipped)/a;    # of a row that is wrapped
my $DETAILS = qr/^(?:test +(?:[+]\/- +rate|best) |The (?:creating call|start-up of the))/;
my $WORDS = qr/(?:test|rate|[+]\/-|median|p[\d.]+|max|CPU|machine|blocked|faults|parent| )+/a;

sub lines_of_screens {
    my ($titles, @lines) = @_;
    my %state = (titles => $titles, lines => \@lines, out => [], ranking => { heads => [] });
    while (@lines) {
        my $text = $lines[0]{text};
        next if heading(\%state) || table(\%state) || index_line(\%state) || ranking(\%state);
        $state{above} //= $text if $text =~ /^(?:SpawnMeter [(]Version |Benchmark Run:)/;
        $state{copies} = $text =~ / (?:-c|--copies)[ =]?(\d{1,5})\b(?!.* (?:-c|--copies))/a ? $1 : 0
            if $text =~ m{^(?:\S+ )?[.]/Run\b};
        push @{ $state{out} }, shift @lines;
    }
    return @{ $state{out} };
}

sub emit {
    my ($state, $line, @items) = @_;
    push @{ $state->{out} }, map { { %{$line}, item => $_ } } @items;
    return 1;
}

# BUSY, version and machine, and below them the command, the date, or both
sub heading {
    my ($state) = @_;
    my $lines = $state->{lines};
    return if $lines->[0]{text} !~ /^(?:SpawnMeter \d|BUSY: other)/a;
    my ($text, $used) = ($lines->[0]{text}, 1);
    while ($used < @{$lines} && $used < PIECES && $lines->[$used]{text} ne q{} && $text !~ $DATE) {
        $text .= "\n" . $lines->[ $used++ ]{text};
    }
    my $date = $text =~ s/$DATE// ? $1 : undef;
    my $command = $text =~ s{\n([.]/Run\b.*?) ?\z}{}s ? $1 : undef;
    tr/\n/ / for grep { defined } $text, $date, $command;
    return if !defined $date && !defined $command || $text !~ $HEAD;
    my %is = %+;
    my ($first) = splice @{$lines}, 0, $used;
    @{$state}{qw(classic above busy suite)} = ($state->{above}, undef, @is{qw(busy suite)});
    return emit($state, $first, head($state, $is{facts}, $command, $date));
}

# -> items: what the head says, or the date alone below a classic one
sub head {
    my ($state, $facts, $command, $date) = @_;
    my ($machine, @others) = split /; /, $facts;
    my ($model, $cpus) = $machine =~ /^(?:(.*?), )?(\d{1,5}) CPUs?\b/a;
    $state->{cpus} = $cpus;
    my %posted = (Measured => $date);
    my %fact = (kind => 'fact', cpu_model => $model);
    if (!$state->{classic}) {
        ($fact{virtual}) = $machine =~ /, (virtual)$/;
        my ($kernel) = grep { /^\w+ [\w.+-]+$/ } @others;
        @fact{qw(system kernel_release)} = split / /, $kernel // q{};
        my ($system) = reverse grep { $_ ne ($kernel // q{}) } @others;
        ($fact{distribution}, $posted{Build}) = split /, /, $system // q{}, 2;
        $posted{Command} = $command;
    }
    my @head = map { "$_: $posted{$_}" } grep { defined $posted{$_} } sort keys %posted;
    return (
        $state->{classic}
        ? ()
        : ({ kind => 'suite', own => 1, version => $state->{suite} }, \%fact),
        map { { kind => 'posted', head => $_ } } @head
    );
}

sub index_line {
    my ($state) = @_;
    my $line = $state->{lines}[0];
    return if !defined $state->{suite} || $line->{text} !~ $INDEX;
    my %is = %+;
    my $title = $state->{title} = $is{title} // $state->{title} // return;
    shift @{ $state->{lines} };
    my %column = (kind => 'column', copies => $is{copies}, cpus => $state->{cpus});
    my %score = (kind => 'score', title => "${title}Benchmarks");
    @score{qw(score low high)} = @is{qw(score low high)};
    return emit($state, $line, \%column, \%score);
}

# ---- tables ----

# The head of a table, and a row of each test
sub table {
    my ($state) = @_;
    my $lines = $state->{lines};
    return details($state) if $lines->[0]{text} =~ $DETAILS;
    my ($copies, $used) = copies_above($state) or return;
    my $head = q{};
    $head .= $lines->[ $used++ ]{text}
        while $used < @{$lines} && $lines->[$used]{text} =~ /^$WORDS$/;
    return if $head eq q{};    # another line that begins so
    my @first = $head =~ /median/ ? qw(rate +/- median p99 blocked faults) : qw(rate +/-);
    my ($first) = splice @{$lines}, 0, $used;
    $state->{classic} = 1 if ($state->{above} // q{}) =~ /^SpawnMeter/;
    emit($state, $first, { kind => 'suite', own => 1, version => 'unknown' })
        if !$state->{above} && !$state->{suite};
    $state->{suite} //= 'unknown';

    while (my ($rows, $test, @cells) = row($lines, @first + 2 * $#{$copies})) {
        my ($line) = splice @{$lines}, 0, $rows;
        emit($state, $line, { kind => 'column', unread => CUT })
            if @cells < @first + 2 * $#{$copies};
        my @fields = @first;
        for my $number (@{$copies}) {
            my %cell = (copies => $number, test => $test);
            @cell{@fields} = splice @cells, 0, scalar @fields;
            emit_cell($state, $line, %cell);
            @fields = qw(rate +/-);
        }
    }
    return 1;
}

# A table that -v adds
sub details {
    my ($state) = @_;
    my $lines = $state->{lines};
    emit($state, shift @{$lines}, { kind => 'column', unread => DETAILS });
    shift @{$lines} while @{$lines} && $lines->[0]{text} =~ /^$WORDS$/;
    while (my ($rows) = row($lines, PIECES)) { splice @{$lines}, 0, $rows }
    return 1;
}

# -> ([numbers of copies], lines above the heads of the columns), or nothing
sub copies_above {
    my ($state) = @_;
    my ($text, $used) = (q{}, 0);
    for my $line (@{ $state->{lines} }) {
        my @copies = $text =~ /$COPIES/g;
        return (@copies ? \@copies : [ $state->{copies} // 0 ], $used)
            if $line->{text} =~ /^(?:test +)?rate +[+]\/-/;
        last if $used++ >= PIECES || $line->{text} !~ /^(?: *(?:\d{1,5}|cop(?:y|ies))\b)+$/a;
        $text .= " $line->{text}";
    }
    return;
}

# -> (number of lines, name of the test, its cells), or nothing where no row begins
sub row {
    my ($lines, $number) = @_;
    my $text = @{$lines} ? $lines->[0]{text} : q{};
    my $used = 1;
    $text .= " $lines->[$used++]{text}"
        if $text =~ /^[a-z][\w.+-]{11,}$/a && $lines->[1] && $lines->[1]{text} =~ /^[\d.-]/;
    return if $text !~ $ROW;
    my ($test, @cells) = split q{ }, $text;
    my $whole = @cells;
    while (@cells < $number && $lines->[$used] && $lines->[$used]{text} =~ $MORE) {
        push @cells, split q{ }, $lines->[ $used++ ]{text};
    }

    # a "-" that begins a wrapped line has been taken for the mark of a list
    splice @cells, $whole, 0, q{-} if @cells == $number - 1 && $whole < @cells;
    return ($used, $test, @cells);
}

# A result of a test, and what the row says of it
sub emit_cell {
    my ($state, $line, %cell) = @_;
    my $test = test_named($state->{titles}, $cell{test});
    my %rate = printed_rate($cell{rate} // q{}) or return;
    emit($state, $line, { kind => 'column', copies => $cell{copies}, cpus => $state->{cpus} });
    emit($state, $line, { kind => 'result', test => $test, %rate }) if $test && !$state->{classic};
    my $sign = ($cell{'+/-'} //= q{}) =~ s/([!*?:~])\z// ? $1 : q{};
    my %number = map { $_ => scalar quantity($cell{$_}) } keys %cell;
    my %says = (test => $test ? $test->{name} : $cell{test}, disturbed => $sign eq q{!} || 0);
    $says{plus_minus} = $number{'+/-'};
    $says{latency} = [ $number{median}, undef, $number{p99}, undef, undef ]
        if defined $number{median};
    $says{blocked} = [ $number{blocked}, (undef) x 4 ] if defined $number{blocked};
    @says{qw(faults_child faults_parent)} = ($number{faults}, 0) if defined $number{faults};
    $says{busy} = $state->{busy} // BUSY if $sign eq q{*};
    return emit($state, $line, { kind => 'says', says => \%says });
}

# ---- rankings: machines as rows, tests as columns ----

# The head of a block, the heads of its columns, or the row of a machine
sub ranking {
    my ($state) = @_;
    my ($ranking, $text) = ($state->{ranking}, $state->{lines}[0]{text});
    my ($first, @words) = split q{ }, $text =~ s/95 %/95%/r =~ tr/|/ /r;
    $ranking->{heads} = [] if !defined $first;
    if ($text =~ /^(?:(\d{1,5}|[?]) cop(?:y|ies)|A copy on each CPU): [\w ]*\bindex\b/a) {
        @{$ranking}{qw(copies heads)} = ($1, []);
    } elsif (($first // q{}) eq 'machine') {
        return if !grep { test_named($state->{titles}, s{/s\z}{}r) } @words;
        $ranking->{heads} = \@words;
    } else {
        my $columns = @{ $ranking->{heads} } or return;
        pop @words if @words && $words[-1] =~ /^[[:alpha:]]{1,8}$/;    # what differs
        return if @words < $columns;
        my @values = splice @words, -$columns;
        return if grep { !/^(?:-|\d\S*)$/a } @values;
        emit_machine($state, join(q{ }, $first, @words), @values);
    }
    return shift @{ $state->{lines} };
}

# Of a test that stands in two tables of a block the first one counts
sub emit_machine {
    my ($state, $name, @values) = @_;
    my $ranking = $state->{ranking};
    my $is_busy = $name =~ s/(?<=.)([*!])\z// && $1 eq q{*};
    my $machine = $ranking->{machines}{$name} //= {};
    my $is_new = !defined $machine->{stream};
    $machine->{stream} //= $ranking->{number}++;
    my $line = { %{ $state->{lines}[0] }, stream => $machine->{stream} };
    emit($state, $line, { kind => 'column', label => $name }) if $is_new;
    my %value;
    @value{ @{ $ranking->{heads} } } = @values;
    $machine->{copies} = $value{copies} // $machine->{copies};
    my $copies = $ranking->{copies} // $machine->{copies} // q{?};
    emit($state, $line, { kind => 'column', copies => $copies }) if $copies =~ /^\d+\z/a;

    for my $head (@{ $ranking->{heads} }) {
        my $test = test_named($state->{titles}, $head =~ s{/s\z}{}r)             or next;
        my %rate = printed_rate($value{$head} . ($head =~ m{(/s)\z} ? $1 : q{})) or next;
        next if $machine->{seen}{"$copies $test->{name}"}++;
        emit($state, $line, { kind => 'result', test => $test, %rate });
        my %says = (test => $test->{name}, busy => BUSY);
        emit($state, $line, { kind => 'says', says => \%says }) if $is_busy;
    }
    return;
}

1;
