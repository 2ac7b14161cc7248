# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Pasted;

# SpawnMeter's own tables: those that -v adds to the results of a number of copies, the screen
# (Report::Text::Screen) below the classic part of its report or alone, wrapped or in one of its
# narrow forms, and rankings of ./Run compare (Report::Ranked).  Pure functions.
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
use SpawnMeter::Analysis::Findings   qw(marks);
use SpawnMeter::Store::Import::Words qw(printed_rate quantity test_named);

our @EXPORT_OK = qw(lines_of_screens);

use constant {
    PIECES => 24,                                  # lines that a paragraph can be folded into
    CUT    => 'the rest of this row is missing',
    BUSY   => 0.3,    # CPUs that others use at least where a run is busy (Analysis::Disturbance)
};

# BUSY, version and machine on one line; the date at the end of the next one
my $HEAD = qr/^(?:BUSY:[ ]other[ ]processes[ ]used[ ](?<busy>[\d.]+)(?:[ ]of[ ]\d+)?[ ]CPUs
    (?:[.]|(?<some>[ ]beside[ ])).*?[ ])?SpawnMeter[ ](?<suite>\d[\w.+~-]*)
    (?:[ ]{2,}|[ ]+(?=.*\bCPUs?\b))(?<facts>\S.*)$/ax;
my $DATE = qr/\s(\d{4}-\d\d-\d\d(?:,\s[\d:]+\s(?:minutes|seconds?))?)$/a;
my $COPIES = qr/(\d{1,5}) cop(?:y|ies)/a;
my $INDEX = qr/^(?:(?<title>(?:\w+[ ]){1,2})index[ ]+)?(?<score>[\d.]+)
    (?:[ ][(](?<low>[\d.]+)[ ][.][.][ ](?<high>[\d.]+)[)])?
    [ ]+(?<copies>\d{1,5})[ ]cop(?:y|ies)(?:,[ ]\S+[ ]times)?$/ax;
my $ROW = qr/^[a-z][\w.+-]* +(?:[\d.>]\S*|failed|skipped|-|[a-z]+(?= +[\d.-]))(?: |$)/a;
my $MARKS = marks();

# The fields of a result (Analysis::Record) in the columns of a table, by the words of its head;
# with a number, of its list
my @FIRST = qw(plus_minus latency.0 latency.2 blocked.0 faults_child);
my @TABLES = (
    [ qr/^test +[+]\/- +rate/  => qw(plus_minus rate corrected latency.2 faults_child blocked.0) ],
    [ qr/^test +best/          => qw(best cpu_us machine_us), map { "latency.$_" } 0 .. 4 ],
    [ qr/^The creating call/   => map { "blocked.$_" } 0 .. 4 ],
    [ qr/^The start-up of the/ => 'period', map { "start.$_" } 0 .. 4 ],
);
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
    $state->{whole} = defined $is{busy} && !defined $is{some};
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
    return if !defined $state->{suite};
    my $line = $state->{lines}[0];
    return if $line->{text} !~ $INDEX;
    my %is = %+;
    my $title = $is{title} //= $state->{title} // return;
    $state->{title} = $title;
    shift @{ $state->{lines} };
    my %score = (kind => 'score', title => "${title}Benchmarks");
    @score{qw(score low high)} = @is{qw(score low high)};
    return emit($state, $line, of_copies($state, $is{copies}), \%score);
}

sub of_copies {
    my ($state, $copies) = @_;
    return { kind => 'column', copies => $copies, cpus => $state->{cpus} };
}

# ---- tables ----

# The head of a table, and a row of each test
sub table {
    my ($state) = @_;
    my $lines = $state->{lines};
    my ($used, @groups) = head_of_table($state) or return;
    my ($first) = splice @{$lines}, 0, $used;
    if (defined $groups[0][0]) {
        $state->{classic} = 1 if ($state->{above} // q{}) =~ /^SpawnMeter/;
        emit($state, $first, { kind => 'suite', own => 1, version => 'unknown' })
            if !$state->{above} && !$state->{suite};
        $state->{suite} //= 'unknown';
    }
    my $cells = 0;
    $cells += $#{$_} for @groups;
    while (@{$lines}) {
        my ($rows, $mark, $test, @cells) = row($lines, $cells) or last;
        @cells < $cells && !defined $groups[0][0]
            ? emit($state, $lines->[0], { kind => 'column', unread => CUT })
            : emit_row($state, \@groups, $mark, $test, @cells);
        splice @{$lines}, 0, $rows;
    }
    return 1;
}

# -> (number of lines, [ copies, or undef below their results; fields ] of each group of columns)
sub head_of_table {
    my ($state) = @_;
    my $lines = $state->{lines};
    my $table = first { $lines->[0]{text} =~ $_->[0] } @TABLES;
    my ($copies, $used) = $table ? (undef, 1) : copies_above($state);
    return if !$used && !$copies;
    my $head = q{};
    while ($used < @{$lines} && $lines->[$used]{text} =~ /^$WORDS$/) {
        $head .= " $lines->[$used++]{text}";
    }
    return ($used, [ undef, @{$table}[ 1 .. $#{$table} ] ]) if $table;
    my @first = $head =~ /median/ ? @FIRST : 'plus_minus';
    return ($used,
        map { [ $copies->[$_], 'result', $_ ? 'plus_minus' : @first ] } 0 .. $#{$copies});
}

sub copies_above {
    my ($state) = @_;
    my ($text, $used) = (q{}, 0);
    for my $line (@{ $state->{lines} }) {
        return ([ $used ? $text =~ /$COPIES/g : $state->{copies} // 0 ], $used)
            if $line->{text} =~ /^(?:test +)?rate +[+]\/-/;
        last if $used++ >= PIECES || $line->{text} !~ /^$COPIES(?: +$COPIES)*$/;
        $text .= " $line->{text}";
    }
    return;
}

# -> (number of lines, mark, name of the test, its cells), or nothing where no row begins
sub row {
    my ($lines, $number) = @_;
    my $text = $lines->[0]{text};
    my $used = 1;
    $text .= " $lines->[$used++]{text}"
        if $text =~ /^[a-z][\w.+-]{11,}$/a && $lines->[1] && $lines->[1]{text} =~ /^[\d.-]/;
    return if $text !~ $ROW;
    my $mark = $text =~ s/ +($MARKS)$// ? $1 : q{};
    my ($test, @cells) = split q{ }, $text;
    my $whole = @cells;

    while (@cells < $number && $lines->[$used] && $lines->[$used]{text} =~ /^[\d.>-]/) {
        $text = $lines->[ $used++ ]{text};
        $mark = $1 if $text =~ s/ +($MARKS)$//;
        push @cells, split q{ }, $text;
    }
    $mark = $lines->[ $used++ ]{text} if $lines->[$used] && $lines->[$used]{text} =~ /^$MARKS$/;

    # a "-" that begins a wrapped line has been taken for the mark of a list
    splice @cells, $whole, 0, q{-} if @cells == $number - 1 && $whole < @cells;
    return ($used, $mark, $test, @cells);
}

sub emit_row {
    my ($state, $groups, $mark, $name, @cells) = @_;
    my ($line, $test) = ($state->{lines}[0], test_named($state->{titles}, $name));
    for my $group (@{$groups}) {
        my ($copies, @fields) = @{$group};
        my %cell;
        @cell{@fields} = splice @cells, 0, scalar @fields;
        my %rate = defined $copies ? printed_rate(delete $cell{result} // q{}) : ();
        next if defined $copies && !%rate;
        emit($state, $line, of_copies($state, $copies)) if defined $copies;
        emit($state, $line, { kind => 'result', test => $test, %rate })
            if %rate && $test && !$state->{classic};
        my $sign = defined $cell{plus_minus} && $cell{plus_minus} =~ s/([!*?:~])\z// ? $1 : q{};
        my %says = (test => $test ? $test->{name} : $name, numbers(%cell));
        $says{busy} = $state->{busy} // BUSY if $sign eq q{*} || %rate && $state->{whole};
        $says{disturbed} = "$sign$mark" =~ /^!|^[*] /         || 0 if defined $cell{plus_minus};
        emit($state, $line, { kind => 'says', says => \%says });
    }
    return;
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

# The numbers of the cells as fields of a result; of its five times one alone can be known
sub numbers {
    my (%cell) = @_;
    my ($period, %says) = (delete $cell{period});
    for my $field (keys %cell) {
        my $number = quantity($cell{$field}) // next;
        my ($name, $i) = split /[.]/, $field;
        if (defined $i) { ($says{$name} ||= [ (undef) x 5 ])->[$i] = $number }
        else            { $says{$name} = $number }
    }
    my ($rate, $share) = delete @says{qw(rate corrected)};
    $says{drift_corrected} = { rate => $rate, plus_minus => $share } if $rate;
    $says{start} = { $period => $says{start} } if $says{start};
    $says{faults_parent} = 0 if defined $says{faults_child};
    return %says;
}

1;
