# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Blocks;

# To which run, block and test each item of a posted text belongs.  Pure functions.
#
#   heads(titles, items of Import::Lines) -> (heads).  An item that is not read gets why => a
#       clause, aside => true where it is not in a report's format, as in a table of differences
# A head, of one or more runs: { blocks, system, suite, host, label, settings,
#   incomplete, posted => of a report of SpawnMeter { head, notes, virtual } }; a block: { copies
#   => 0 where it is not known, cells => { name => cell }, order => [names], tables => { title =>
#   number of rows }, scores => [ { title, score, partial, line, text } ], cpus, date, from, to,
#   form, label }; a cell: { test, title, unit, category, results => [items], rows => [items],
#   details => what a report of SpawnMeter says of it }
#
# While it reads, its state is { titles, heads; head, block, table => those that are being read;
#   apart => true where something else than results stands after the last one; label => words before
#   the next block { text, line, heading, announces => they end in a colon, short }, or undef;
#   previous => item }

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(first);
use SpawnMeter::Store::Import::Lines qw(looks_like_report);
use SpawnMeter::Store::Import::Words qw(split_title new_test resembles table_title test_named UNIT
    number is_one_of);
use SpawnMeter::Util::Format qw(copies);

our @EXPORT_OK = qw(heads BLOCKS_MAX);

use constant {
    COPIES_MAX => 99_999,
    BLOCKS_MAX => 64,       # of a run: all are looked at for each line of a head
    LINES_MAX  => 100,      # with results of a test in a block; likewise rows: each is compared
    TITLE_MAX  => 60,       # characters of a title, or of the words that name a table
    LABEL_AWAY => 4,        # lines between them and the table; a heading can be farther away
};

# Lines of the head of a report or mail that say nothing of the run; long ones have been wrapped
my $WRAPPED = qr/\bup\b.*\buser|interactive users|load average|^[\d:]+ up /a;
$WRAPPED = qr/$WRAPPED|^(?:From|To|Cc|Subject|Date|Sent|Reply-To|In-Reply-To|References):/;
$WRAPPED = qr/$WRAPPED|^(?:Message-I[Dd]|MIME-Version|User-Agent|(?:Content|List|X)-[\w-]+):/;
my $OF_A_HEAD = qr{$WRAPPED|^/|^l?rwx|^--(?=\S*\d)[^\s-]\S{15,}$};

my $UNIT = UNIT;
my $NUMBER = qr/[+-]?\d[\d.,]*/a;

# Lines that programs around the suite print: counts, scores of a test, tests as columns
my $OTHER_FORM = qr/^(?>.*?[(]$UNIT[)]).*(?:[|:\d]| {2}.*[(]$UNIT[)])|^\d+-\d+s-\w+ *: *$NUMBER/a;
$OTHER_FORM = qr/$OTHER_FORM|^\d.*\bunixbench[.]score$/a;

# Facts of a system; its distribution stands in reports of SpawnMeter only
my @FACTS = qw(system kernel_release kernel_version architecture cpus_online cpus_usable cpu_model);

# What an item adds to the state -> undef, or what is wrong with it: `why`, or { why, aside }
my %ADD = (
    suite  => \&add_suite,
    fact   => \&add_fact,
    times  => \&add_times,
    copies => \&add_copies,
    table  => \&add_table,
    score  => \&add_score,
    result => \&add_figures,
    row    => \&add_figures,
    column => \&add_column,
    says   => \&add_says,
    posted => \&add_posted,
    other  => \&add_other,
);

sub heads {
    my ($titles, @items) = @_;
    my %state = (titles => $titles, heads => []);
    my %streams;
    push @{ $streams{ $_->{stream} // 0 } }, $_ for @items;
    for my $stream (sort { $a <=> $b } keys %streams) {
        @state{qw(label apart previous)} = (undef, 1, { kind => 'blank' });
        begin_head(\%state);
        add(\%state, $_) for @{ $streams{$stream} };
    }
    return @{ $state{heads} };
}

sub add {
    my ($state, $item) = @_;
    my ($kind, $label, $previous) = ($item->{kind}, @{$state}{qw(label previous)});
    $state->{label} = undef
        if $label && !$label->{heading} && $item->{line} - $label->{line} > LABEL_AWAY;
    my $problem = $ADD{$kind} ? $ADD{$kind}->($state, $item) : undef;
    %{$item} = (%{$item}, ref $problem ? %{$problem} : (why => $problem)) if defined $problem;
    $state->{apart} = $kind !~ /^(?:result|row)$/ if $kind ne 'blank';

    # a line of a head, or the next lines of a wrapped one
    $item->{is_of_head} =
          $kind ne 'other' || $item->{heading} ? $kind eq 'fact'
        : $item->{text} =~ $WRAPPED            ? 1
        :                                        $previous->{is_of_head} && $item->{text} =~ /\w/;
    $state->{previous} = $item;
    return;
}

# ---- runs and blocks ------------------------------------------------------------------

sub begin_head {
    my ($state, %fields) = @_;
    my $head = { blocks => [], system => {}, %fields };
    push @{ $state->{heads} }, $head;
    @{$state}{qw(head block table)} = ($head, undef, undef);
    return $head;
}

sub begin_block {
    my ($state, %fields) = @_;
    my ($label, $head) = @{$state}{qw(label head)};
    $head = begin_head($state, map { $_ => $head->{$_} } qw(suite host system))
        if @{ $head->{blocks} } >= BLOCKS_MAX;
    my $form = ($head->{suite} // q{}) =~ /^UnixBench 4[.]/ ? '4.1' : undef;
    my %empty = (copies => $form ? 1 : 0, cells => {}, order => [], tables => {}, scores => []);
    my $block = { %empty, form => $form, label => $label && $label->{text}, %fields };
    push @{ $head->{blocks} }, $block;
    @{$state}{qw(block table label)} = ($block, undef, undef);
    return $block;
}

# ---- the head of a report -------------------------------------------------------------

sub add_suite {
    my ($state, $item) = @_;
    my $label = $state->{label};
    $label->{heading} = 1    # the head is long
        if $label
        && ($label->{announces} || $label->{short} && $item->{line} - $label->{line} <= 2);
    my @own =
        $item->{own}
        ? (settings => { name => 'imported' }, posted => { head => [], notes => [] })
        : ();
    begin_head($state, suite => (@own ? q{} : 'UnixBench ') . $item->{version}, @own);
    return;
}

# A head without its first line begins another run, too
sub add_fact {
    my ($state, $item) = @_;
    my $run = $state->{head};
    $run = begin_head($state)
        if defined $item->{host} && grep { @{ $_->{order} } } @{ $run->{blocks} };
    $run->{host} = $item->{host} // $run->{host};
    my @known = grep { defined $item->{$_} } @FACTS, $run->{posted} ? 'distribution' : ();
    $run->{system} = { %{ $run->{system} }, map { $_ => $item->{$_} } @known };
    $run->{posted}{virtual} = 1 if $run->{posted} && defined $item->{virtual};
    return;
}

# Lines of SpawnMeter's report.  What is said of all tests of a block names its copies, since it is
# printed below all blocks
sub add_posted {
    my ($state, $item) = @_;
    my ($run, $block) = @{$state}{qw(head block)};
    $run->{$_} = $item->{$_} for grep { defined $item->{$_} } qw(label incomplete);
    $run->{settings} = { name => $_ } for grep { defined $item->{$_} } qw(quick classic);
    my $posted = $run->{posted} or return;
    my %known = map { $_ => 1 } @{ $posted->{head} };
    push @{ $posted->{head} }, grep { defined && !$known{$_} } $item->{head};
    if (($item->{head} // q{}) =~
        /^Command: (?<command>.*?(?: --label[ =](?<label>'[^']*'|\S+).*)?)$/) {
        $run->{command} = $+{command};
        $run->{label} //= $+{label} =~ s/'//gr if defined $+{label};
    }
    my $note = $item->{notes} // return;
    my $words = $block && $block->{copies} ? ', ' . copies($block->{copies}) : q{};
    push @{ $posted->{notes} }, $note =~ s/^(drift|reference): /$1$words: /r;
    return;
}

# No two runs have the same times: the line stands there twice
sub add_times {
    my ($state, $item) = @_;
    my %times = map { $_ => $item->{$_} } qw(date from to);
    begin_block($state, %times) if !$state->{head}{times}{"@times{qw(date from to)}"}++;
    return;
}

sub add_copies {
    my ($state, $item) = @_;
    my ($cpus, $copies) = map { ($item->{$_} || 0) + 0 } qw(cpus copies);
    return "its number of CPUs or copies is not between 1 and @{[ COPIES_MAX ]}"
        if grep { $_ < 1 || $_ > COPIES_MAX } $copies, $cpus || 1;
    my $block = $state->{block};
    my $is_filled = $block && @{ $block->{order} };
    return if $block && $block->{copies} == $copies && !$is_filled;
    $block = begin_block($state) if !$block || $is_filled || $block->{copies};
    $block->{copies} = $copies;
    $block->{cpus} = $cpus if $cpus;
    return;
}

# Begins a column of a table, or a part of it
sub add_column {
    my ($state, $item) = @_;
    return aside($item->{unread}) if defined $item->{unread};
    if (defined $item->{label}) {
        my $before = $state->{block} && $state->{block}{label};
        begin_head($state) if ($before // q{}) ne $item->{label};
        begin_block($state, label => $item->{label});
    } else {
        my ($copies, @blocks) = ($item->{copies}, @{ $state->{head}{blocks} });
        my $block = first { $_->{copies} == $copies } @blocks;
        $block ||= first { !$_->{copies} && !@{ $_->{order} } } @blocks;
        $state->{block} = $block || begin_block($state);
        $state->{block}{$_} = $item->{$_} // $state->{block}{$_} for qw(copies cpus);
    }
    return;
}

# ---- figures --------------------------------------------------------------------------

# A title that no test has is that of a test only if it resembles no title of a test
sub test_of_item {
    my ($state, $item) = @_;
    my ($test, $title) = @{$item}{qw(test title)};
    return $test if $test;
    return 'the words before its numbers are not the title of a test'
        if length $title > TITLE_MAX || $title =~ /\d[.,:]\d| {3}/a;
    my $nearest = resembles($state->{titles}, $title) or return new_test($title);
    return "no test has the title '$title' (the nearest one is '$nearest')";
}

# A result, or a row: words with three numbers are one only in a table or after the title of a test
sub add_figures {
    my ($state, $item) = @_;
    my $is_row = $item->{kind} eq 'row';
    my $table = $is_row ? $state->{table} : q{};
    return if !defined $table && !$item->{test} && !resembles($state->{titles}, $item->{title});
    my $test = test_of_item($state, $item);
    return $test if !ref $test;

    my ($bad) = grep { defined && !number($_) } @{$item}{qw(baseline rate index)};
    return "'$bad' is not a number, which has a point before its decimals" if defined $bad;
    if (!$is_row) {
        return 'its result is not above 0' if $item->{number}{value} <= 0;
        return "its unit is $item->{unit}, and that of this test is $test->{unit}"
            if $item->{unit} ne $test->{unit} && $item->{test};
    }
    my ($list, $key) = $is_row ? qw(rows text) : qw(results rate);
    my $lines = cell_of($state, $test, $item, $list)->{$list};
    return "@{[ LINES_MAX ]} lines have results of its test already" if @{$lines} >= LINES_MAX;
    $item->{category} = $is_row ? $table : undef;
    push @{$lines}, $item if !grep { $_->{$key} eq $item->{$key} } @{$lines};
    return if !$is_row;
    $state->{table} = $table;    # a block that begins within it has it, too
    $state->{block}{tables}{ $table // q{} }++;
    return;
}

# A line whose test has one already, after something else than results, begins a block, unless it
# has the same value and no words announce it; so does a result that is not in the block's index
# table
sub cell_of {
    my ($state, $test, $item, $list) = @_;
    my $block = $state->{block} || begin_block($state);
    my ($cell, $label) = ($block->{cells}{ $test->{name} }, $state->{label} || {});
    my $is_new = sub {
        !$cell || !is_one_of($item->{number}, map { $_->{number} } @{ $_[0] });
    };
    my $begins;
    if ($cell && @{ $cell->{$list} }) {
        $begins = begins_again($state, $block, $test, $list)
            || $state->{apart}
            && ($label->{announces} || $label->{heading} || $is_new->($cell->{$list}));
    } elsif (
        $list eq 'results'
        && grep { length && $block->{tables}{$_} }
        keys %{ $block->{tables} }
    ) {
        $begins = $is_new->($cell && $cell->{rows});
    }
    $block = begin_block($state, $state->{label} ? () : (label => $block->{label})) if $begins;
    push @{ $block->{order} }, $test->{name} if !$block->{cells}{ $test->{name} };
    return $block->{cells}{ $test->{name} } ||=
        { %{$test}, test => $test->{name}, results => [], rows => [], details => {} };
}

# Behind an empty line the results begin again with their first test, and below a heading where it
# is the only one
sub begins_again {
    my ($state, $block, $test, $list) = @_;
    return if $list ne 'results' || $block->{order}[0] ne $test->{name};
    return $state->{previous}{kind} eq 'blank'
        || defined $block->{label} && @{ $block->{order} } == 1;
}

sub add_table {
    my ($state, $item) = @_;
    my $title = table_title($item->{title});
    my $block = $state->{block} || begin_block($state);
    $block = begin_block($state) if $block->{tables}{$title};
    $block->{tables}{$title} ||= 0;
    $block->{label} //= $state->{label} && $state->{label}{text};
    @{$state}{qw(table label)} = ($title, undef);
    $block->{form}   ||= '4.1' if $title eq '4.1';
    $block->{copies} ||= 1 if $title eq '4.1';       # it never runs more
    return;
}

sub add_score {
    my ($state, $item) = @_;
    my ($block, $name) = ($state->{block} || begin_block($state), $item->{name});
    @{$block}{qw(form copies)} = ($name =~ /^FINAL/i ? '4.1' : '3.11', $block->{copies} || 1)
        if defined $name;
    $state->{table} = undef;
    return if defined $name && $name =~ /^SUM/;
    my $number = $item->{number} or return "'$item->{score}' is not a number";
    my $title = table_title($item->{title});
    my $score = $number->{value};
    my $other = first { $_->{title} eq $title } @{ $block->{scores} };
    @{$item}{qw(title score partial)} = ($title, $score, $item->{partial} ? 1 : 0);
    $item->{rounding} = $number->{rounding};
    push @{ $block->{scores} }, $item if !$other;
    @{$other}{qw(low high)} = @{$item}{qw(low high)} if $other && defined $item->{low};
    return if !$other || defined $item->{low} || $other->{score} == $score;
    return "it is a second score; the first one is $other->{score}";
}

sub add_says {
    my ($state, $item) = @_;
    my ($says, $block) = ($item->{says}, $state->{block});
    my $cell = $block && $block->{cells}{ $says->{test} }
        or return 'no test has this name, or none with a result above';
    $cell->{details} = { %{ $cell->{details} }, %{$says} };
    return;
}

# ---- other lines ----------------------------------------------------------------------

# What looks like a part of a report is listed, what stands before a table names it
sub add_other {
    my ($state, $item) = @_;
    my $text = $item->{text};
    return 'it looks like a part of a report, but has another format' if looks_like_report($text);
    my ($test, $rest) = split_title($state->{titles}, $text);
    my $problem =
        $test ? problem_of_titled($state, $text, $rest) : problem_of_untitled($state, $text);
    note_label($state, $item) if !$problem && $text !~ /^\d+ x \D/a;    # the passes, while they run
    return $problem;
}

sub problem_of_titled {
    my ($state, $text, $rest) = @_;
    return $state->{previous}{kind} =~ /^(?:result|row)$/ ? 'it has no numbers' : undef
        if $rest !~ /\p{Nd}|nan|inf/i;
    return "it begins with a test's title, but its numbers cannot be read"
        if defined $state->{table} || $text =~ /\d *$UNIT\b/a;
    return aside('its numbers have no unit of the suite: they can be rates, indexes or changes');
}

sub problem_of_untitled {
    my ($state, $text) = @_;
    my $any = $state->{titles}{any};
    return 'it is in an index table, but is not a row of it'
        if defined $state->{table} && $text =~ /\p{Nd}$/;
    return 'the words before its numbers are not the title of a test'
        if $text =~ /^\S.{2,60}? +$NUMBER *$UNIT\b/;
    my ($title) = $text =~ /^([A-Za-z][^|]{3,60}?)(?: +(?:[|] *)?$NUMBER%?){1,8}$/;
    return aside('it names a test or unit of the suite, but is not a line of its reports')
        if $text =~ $OTHER_FORM
        || $text =~ /(?:^|,)"?$any"?,/                                             # CSV
        || $text =~ /^(?=\D*\d)(?!\d+ x ).*?[^ ] *$any.*\d[.,]* *(?:$UNIT|%)?$/a
        || $text =~ m{\bunixbench[-_.:/ ]+(\w+).*\d}a && test_named($state->{titles}, $1)
        || defined $title && resembles($state->{titles}, $title)
        || $text =~ /^([a-z][\w+]*)(?: {2,}\S*\d\S*){2}/a && test_named($state->{titles}, $1);
    return;
}

sub aside { my ($why) = @_; return { why => $why, aside => 1 } }

sub note_label {
    my ($state, $item) = @_;
    my ($label, $previous, $heading) = (@{$state}{qw(label previous)}, $item->{heading});
    my $text = $item->{text} =~ s/^[\s*#_=>-]+|(?<![\s*#_:\x{ff1a}=<-])[\s*#_:\x{ff1a}=<-]+$//gr;
    return
           if $item->{listed}
        || $text =~ /^\W*\S*unixbench-\S+$/i
        || $text =~ /^(?:[A-Z][a-z]+(?:-[a-z]+)*-by:|warning:|error:|Running\b)/i;
    return if length $text > TITLE_MAX || $text !~ /\p{L}|^v?\d+[.]\d/a || $text =~ /[,;]$/;
    return if $item->{text} =~ $OF_A_HEAD || $previous->{is_of_head} && !$heading;

    # a sentence between a heading and the table
    my $announces = $item->{text} =~ /[:\x{ff1a}]$/;
    return if $label && $label->{heading} && !$heading && !$announces;

    # a line of its own that is too short for a sentence
    my $short = $text =~ /^\S+(?: +\S+){0,4}(?<![.!?,;\x{3002}])$/ && $text =~ /.{3}/;
    $short &&= $previous->{kind} ne 'other' || $previous->{text} !~ /\w/;
    $state->{label} = { %{$item}, text => $text, announces => $announces, short => $short };
    return;
}

1;
