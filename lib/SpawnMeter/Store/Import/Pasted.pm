# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Pasted;

# The screen below the classic part of SpawnMeter's report (Report::Text::Screen), alone or with
# that part, wrapped or in one of its narrow forms.  Pure functions.
#
#   lines_of_screens(titles of Import::Words, lines of Import::Lines) -> (lines); those of a screen
#       have item => what Import::Items would read
#
# A screen with the classic part adds to its results; one alone has them, and its own head.

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(min);
use SpawnMeter::Store::Import::Items qw(says_of_row);
use SpawnMeter::Store::Import::Words qw(printed_rate test_named);

our @EXPORT_OK = qw(lines_of_screens);

use constant {
    PIECES => 24,     # lines that a paragraph can be folded into
    BUSY   => 0.3,    # CPUs that others use at least where a run is busy (Analysis::Disturbance)
    HOW    => 'BUSY: how much other processes used is not in the text; it is over 0.25 CPUs.',
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
my $RATE = qr{[\d.]+M?(?:/s|/min|[KM]B/s|[A-Za-z]+)}a;
my $ROW = qr/^(?<test>[a-z][\w.+-]*) +(?:$RATE|failed|skipped|-)(?: |$)/a;
my $WORDS = qr/(?:test|rate|[+]\/-|median|p99|blocked|faults| )+/;
my @FIRST = qw(plus_minus p50 p99 blocked faults_child);

sub lines_of_screens {
    my ($titles, @lines) = @_;
    my %state = (titles => $titles, lines => \@lines, out => []);
    while (@lines) {
        my $text = $lines[0]{text};
        next if heading(\%state) || table(\%state) || index_line(\%state);
        my $two = join q{ }, map { $_->{text} } @lines[ 0, min(1, $#lines) ];
        busy_above(\%state) if $two =~ /^Finer: end the other work\b/;
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

# Below a busy screen: its line BUSY, the first one, can be missing
sub busy_above {
    my ($state) = @_;
    return if defined $state->{busy};
    my $out = $state->{out};
    my @rows = grep { defined }
        map { $_->{item} && $_->{item}{says} } @{$out}[ $state->{begins} // 0 .. $#{$out} ];
    $_->[0]{busy} = BUSY for (grep { defined $_->[0]{busy} } @rows) ? () : @rows;
    emit($state, $state->{lines}[0], { kind => 'posted', notes => HOW });
    $state->{begins} = @{$out};
    return;
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
    %{$state} = (%{$state}, classic => $state->{above}, begins => scalar @{ $state->{out} });
    @{$state}{qw(above busy suite)} = (undef, @is{qw(busy suite)});
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

# ---- rates ----

# The numbers of copies, the heads of the columns, and a row of each test
sub table {
    my ($state) = @_;
    my $lines = $state->{lines};
    my ($copies, $used) = copies_above($state);
    return if !$copies;
    my $head = q{};
    while ($used < @{$lines} && $lines->[$used]{text} =~ /^$WORDS$/) {
        $head .= " $lines->[$used++]{text}";
    }
    my ($first) = splice @{$lines}, 0, $used;
    $state->{classic} = 1 if ($state->{above} // q{}) =~ /^SpawnMeter/;
    emit($state, $first, { kind => 'suite', own => 1, version => 'unknown' })
        if !$state->{above} && !$state->{suite};
    $state->{suite} //= 'unknown';
    my @columns = map { [ $copies->[$_], !$_ && $head =~ /median/ ? @FIRST : 'plus_minus' ] }
        0 .. $#{$copies};
    my $cells = 0;
    $cells += @{$_} for @columns;

    while (@{$lines}) {
        my ($test, @cells) = row($lines, $cells) or last;
        rates_of($state, $lines->[0], $test, \@columns, @cells);
        splice @{$lines}, 0, $cells[-1];
    }
    return 1;
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

# -> (name of the test, its cells, number of lines), or nothing where no row begins
sub row {
    my ($lines, $number) = @_;
    my $text = $lines->[0]{text};
    my $used = 1;
    $text .= " $lines->[$used++]{text}"
        if $text =~ /^[a-z][\w.+-]{11,}$/a && $lines->[1] && $lines->[1]{text} =~ /^[\d.-]/;
    return if $text !~ $ROW;
    my ($test, @cells) = split q{ }, $text;
    my $whole = @cells;
    while (@cells < $number && $lines->[$used] && $lines->[$used]{text} =~ /^[\d.>-]/) {
        push @cells, split q{ }, $lines->[ $used++ ]{text};
    }

    # a "-" that begins a wrapped line has been taken for the mark of a list
    splice @cells, $whole, 0, q{-} if @cells == $number - 1 && $whole < @cells;
    return ($test, @cells, $used);
}

sub rates_of {
    my ($state, $line, $name, $columns, @cells) = @_;
    my $test = test_named($state->{titles}, $name);
    my $used = pop @cells;
    for my $column (@{$columns}) {
        my ($copies, @fields) = @{$column};
        my ($rate, @values) = splice @cells, 0, 1 + @fields;
        my %rate = printed_rate($rate // q{}) or next;
        my %says = (test => $test ? $test->{name} : $name);
        @says{@fields} = @values;
        my $sign = ($says{plus_minus} //= q{-}) =~ s/([!*?:~])\z// ? $1 : q{};
        $says{mark} = q{!} if $sign eq q{!};
        $says{busy} = $state->{busy} // BUSY if $sign eq q{*} || $state->{whole};
        emit($state, $line, of_copies($state, $copies));
        emit($state, $line, { kind => 'result', test => $test, %rate })
            if $test && !$state->{classic};
        emit($state, $line, { kind => 'says', says_of_row(\%says) });
    }
    return;
}

1;
