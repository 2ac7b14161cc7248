# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Pasted;

# The screen below the classic part of SpawnMeter's report (Report::Text::Screen), alone or with
# that part, wrapped or in one of its narrow forms, as lines that Import::Items knows.  Pure
# functions.
#
#   lines_of_screens(titles of Import::Words, lines of Import::Lines) -> (lines).  Those that begin
#       with MARK stand for what no other report has: copies (and CPUs), index, row
#
# A screen with the classic part adds to its results; one alone has them, and its own head.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Items qw(MARK);
use SpawnMeter::Store::Import::Words qw(line_of_rate test_named);

our @EXPORT_OK = qw(lines_of_screens);

use constant {
    PIECES => 8,      # lines that a paragraph can be folded into
    BUSY   => 0.3,    # CPUs that others use at least where a run is busy (Analysis::Disturbance)
    HOW    => 'BUSY: how much other processes used is not in the text; it is over 0.25 CPUs.',
};

my $HEAD = qr/^SpawnMeter (?<suite>\d[\w.+~-]*)(?: {2,}| +(?=.*\bCPUs?\b))(?<facts>\S.*)$/a;
my $TOOK = qr/, [\d:]+ (?:minutes|seconds?)/a;
my $RUN = qr{^(?<command>[.]/Run\b.*? +)?(?<date>\d{4}-\d\d-\d\d)(?<time>$TOOK)?$}a;
my $RANGE = qr/(?: [(](?<low>[\d.]+) [.][.] (?<high>[\d.]+)[)])?/a;
my $COPIES = qr/(\d{1,5}) cop(?:y|ies)/a;
my $INDEX = qr/^(?:(?<title>(?:\w+[ ]){1,2})index[ ]+)?(?<score>[\d.]+)$RANGE
    [ ]+(?<copies>\d{1,5})[ ]cop(?:y|ies)(?:,[ ]\S+[ ]times)?$/ax;
my $RATE = qr{[\d.]+M?(?:/s|/min|[KMG]B/s|[A-Za-z]+)}a;
my $ROW = qr/^(?<test>[a-z][\w.+-]*) +(?:$RATE|failed|skipped|-)(?: |$)/a;
my $WORDS = qr/(?:test|rate|[+]\/-|median|p99|blocked|faults| )+/;
my $BUSY =
    qr/^BUSY: other processes used (?<busy>[\d.]+)(?: of \d+)? CPUs(?:[.]|(?<some> beside ))/a;

my @FIRST = qw(plus_minus p50 p99 blocked faults_child);

sub lines_of_screens {
    my ($titles, @lines) = @_;
    my %state = (titles => $titles, lines => \@lines, out => []);
    while (@lines) {
        my $text = $lines[0]{text};
        next if heading(\%state) || table(\%state) || index_line(\%state);
        busy_above(\%state) if joined(qr/^Finer: end the other work\b/, @lines);
        $state{above} //= $text if $text =~ /^(?:SpawnMeter [(]Version |Benchmark Run:)/;
        $state{copies} = $text =~ / (?:-c|--copies)[ =]?(\d{1,5})\b(?!.* (?:-c|--copies))/a ? $1 : 0
            if $text =~ m{^(?:\S+ )?[.]/Run\b};
        push @{ $state{out} }, shift @lines;
    }
    return @{ $state{out} };
}

sub emit {
    my ($state, $line, @texts) = @_;
    push @{ $state->{out} }, map { { %{$line}, printed => $line->{text}, text => $_ } } @texts;
    return 1;
}

# The first lines as one text, which the pattern knows -> (its parts, number of these lines)
sub joined {
    my ($pattern, @lines) = @_;
    my $text = q{};
    for my $i (0 .. $#lines) {
        last if $i >= PIECES || $i && $lines[$i]{text} eq q{};
        $text .= ($i ? q{ } : q{}) . $lines[$i]{text};
        return ({%+}, $i + 1) if $text =~ $pattern;
    }
    return;
}

# Below a busy screen: its line BUSY, the first one, can be missing
sub busy_above {
    my ($state) = @_;
    return if defined $state->{busy};
    my $out = $state->{out};
    my @rows = grep { $_->{text} =~ /^${\MARK}row / } @{$out}[ $state->{begins} // 0 .. $#{$out} ];
    $_->{text} .= ' busy=' . BUSY for (grep { $_->{text} =~ / busy=/ } @rows) ? () : @rows;
    emit($state, $state->{lines}[0], HOW);
    $state->{begins} = @{$out};
    return;
}

# BUSY, version and machine, command line and date
sub heading {
    my ($state) = @_;
    my @lines = @{ $state->{lines} };
    return if $lines[0]{text} !~ /^(?:SpawnMeter \d|BUSY: other)/a;
    my $first = $lines[0];
    my %is = (classic => $state->{above}, above => undef, whole => 0);
    if (my ($busy) = joined($BUSY, @lines)) {
        $is{busy} = $busy->{busy};
        $is{whole} = defined $busy->{some} ? 0 : 1;
        shift @lines;
        shift @lines while @lines && $lines[0]{text} !~ /^SpawnMeter|^$/;
    }
    my ($used, $head, $run) = head_and_run(@lines) or return;
    splice @{ $state->{lines} }, 0, @{ $state->{lines} } - @lines + $used;
    my $begins = @{ $state->{out} };
    %{$state} = (%{$state}, busy => undef, begins => $begins, %is);
    return emit($state, $first, head($state, $head, $run));
}

# -> (number of lines, the first of the two as one text, parts of the second)
sub head_and_run {
    my (@lines) = @_;
    my $head = q{};
    for my $i (0 .. $#lines) {
        my ($run, $used) = $i ? joined($RUN, @lines[ $i .. $#lines ]) : ();
        return ($i + $used, $head, $run) if $run;
        return ($i + 1, $head, { command => $lines[$i]{text} })    # of a report that was read
            if $i
            && $lines[$i]{text} =~ m{^[.]/Run\b}
            && (($lines[ $i + 1 ] || {})->{text} // q{}) eq q{};
        last if $i >= PIECES || $lines[$i]{text} eq q{};
        $head .= ($i ? q{ } : q{}) . $lines[$i]{text};
        last if $head !~ $HEAD;
    }
    return;
}

# What the head says, as the lines of a classic one that lacks it
sub head {
    my ($state, $text, $run) = @_;
    my ($suite, $machine, @others) = $text =~ $HEAD ? ($+{suite}, split /; /, $+{facts}) : return;
    my ($model, $cpus) = $machine =~ /^(?:(.*?), )?(\d{1,5}) CPUs?\b/a;
    @{$state}{qw(suite cpus)} = ($suite, $cpus || 0);
    my @date = defined $run->{date} ? "Measured: $run->{date}" . ($run->{time} // q{}) : ();
    return @date if $state->{classic};
    my $virtual = $machine =~ /, virtual$/ ? '; a virtual machine' : q{};
    my ($kernel) = grep { /^\w+ [\w.+-]+$/ } @others;
    my ($system) = reverse grep { !defined $kernel || $_ ne $kernel } @others;
    my ($distribution, $libc) = split /, /, $system // q{}, 2;
    return (
        "SpawnMeter (Version $suite)",
        defined $kernel         ? 'OS: ' . $kernel =~ s/ / -- /r             : (),
        defined $model          ? "CPU: $model$virtual"                      : (),
        defined $distribution   ? "${\MARK}distribution $distribution"       : (),
        defined $libc           ? "Build: $libc"                             : (),
        defined $run->{command} ? 'Command: ' . $run->{command} =~ s/ +\z//r : (),
        @date
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
    my $range = defined $is{low} ? " $is{low} $is{high}" : q{};
    return emit(
        $state, $line,
        of_copies($state, $is{copies}),
        MARK . 'index ' . $title . "Benchmarks $is{score}$range"
    );
}

sub of_copies {
    my ($state, $copies) = @_;
    return MARK . "copies $copies" . ($state->{cpus} ? " $state->{cpus}" : q{});
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
    emit($state, $first, 'SpawnMeter (Version unknown)') if !$state->{above} && !$state->{suite};
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
        next if !defined $rate || $rate !~ /^$RATE$/;
        return emit($state, $line, MARK . "row $name") if !$test;
        my %says = map { $fields[$_] => $values[$_] // q{-} } 0 .. $#fields;
        my $sign = $says{plus_minus} =~ s/([!*?:~])\z// ? $1 : q{};
        $says{mark} = q{!} if $sign eq q{!};
        $says{busy} = $state->{busy} // BUSY if $sign eq q{*} || $state->{whole};
        emit($state, $line, of_copies($state, $copies));
        emit($state, $line, line_of_rate($test->{title}, $rate)) if !$state->{classic};
        my @says = map { "$_=$says{$_}" } sort keys %says;
        emit($state, $line, join q{ }, MARK . "row $test->{name}", @says);
    }
    return;
}

1;
