# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Blocks;

# To which run, block and test each item of a posted text belongs.  Pure functions.
#
#   heads(titles, streams of Import::Items) -> ([heads], [ { line, text, why, aside } ]: items
#       that are not read)
#   filled(head) -> (blocks with results)
#   same_machine(head) -> (what it says of the suite and the machine)
# A head, of one or more runs: { blocks, conditions, system, suite, host, label, protocol,
#   incomplete, posted => of a report of SpawnMeter { head, notes, virtual } }; a block: { copies
#   => 0 where it is not known, cells => { name => cell }, order => [names], tables => { title =>
#   number of rows }, scores => [ { title, score, partial, line, text } ], cpus, date, from, to,
#   form, label }; a cell: { test, title, unit, category, results => [items], rows => [items],
#   details }
#
# While a text is read, the state is a hash:
#   titles, heads, unread => [items]; head, block, table => those that are being read; apart =>
#   true where something else than results stands after the last one; label => words before the
#   next block { text, line, heading, announces => they end in a colon }, or undef; previous =>
#   item

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(first);
use SpawnMeter::Store::Import::Items qw(looks_like_report);
use SpawnMeter::Store::Import::Words qw(split_title resembles unit_of name_of is_same);
use SpawnMeter::Util::Format         qw(copies);

our @EXPORT_OK = qw(heads filled same_machine BLOCKS_MAX);

use constant {
    COPIES_MAX => 99_999,
    BLOCKS_MAX => 64,       # of a run: all are looked at for each line of a head
    LINES_MAX  => 100,      # with results of a test in a block; likewise rows: each is compared
    TITLE_MAX  => 60,       # characters of a title
    LABEL_MAX  => 60,       # characters of the words that name a table
    LABEL_AWAY => 4,        # lines between them and the table; a heading can be farther away
};

# Lines of the head of a report or mail that say nothing of the run; long ones have been wrapped
my $WRAPPED = qr/\bup\b.*\buser|interactive users|load average|^[\d:]+ up /a;
$WRAPPED = qr/$WRAPPED|^(?:From|To|Cc|Subject|Date|Sent|Reply-To|In-Reply-To|References):/;
$WRAPPED = qr/$WRAPPED|^(?:Message-I[Dd]|MIME-Version|User-Agent|(?:Content|List|X)-[\w-]+):/;
my $OF_A_HEAD = qr{$WRAPPED|^/|^l?rwx|^--(?=\S*\d)[^\s-]\S{15,}$};

my $UNIT = qr/(?:lps|lpm|KBps|MWIPS|MFLOPS|fps)/;
my $NUMBER = qr/[+-]?\d[\d.,]*/a;

# What programs around the suite print: counts, scores of a test, tests as columns
my $OTHER_FORM = qr/[(]$UNIT[)].*[|:]|^\d+-\d+s-\w+ *: *$NUMBER/a;

# What an item adds to the state -> undef, or what is wrong with it: a clause, or { why, aside =>
# true: it is not in a report's format, as in a table of differences }
my %ADD = (
    suite  => \&add_suite,
    fact   => \&add_fact,
    times  => \&add_times,
    copies => \&add_copies,
    table  => \&add_table,
    score  => \&add_score,
    result => \&add_result,
    row    => \&add_row,
    column => \&add_column,
    says   => \&add_says,
    posted => sub {
        my ($state, $item) = @_;
        my $posted = head_of($state)->{posted};
        push @{ $posted->{ $item->{list} } }, with_copies($state, $item->{kept}) if $posted;
        return;
    },
    about => sub {
        my ($state, $item) = @_;
        my $run = head_of($state);
        $run->{$_} = $item->{$_} for grep { defined $item->{$_} } qw(label incomplete protocol);
        return;
    },
    noise => sub { return },
    begun => sub {
        return $_[1]{text} =~ /\d(?:%|[mu]?s) /a ? 'the rest of this row is missing' : undef;
    },
    other => \&add_other,
);

# What is said of all tests of a block names its copies, since it is printed below all blocks
sub with_copies {
    my ($state, $note) = @_;
    my $copies = $state->{block} && $state->{block}{copies} or return $note;
    my $words = copies($copies);
    return $note =~ s/^(drift|reference|steadied|unsettled): /$1, $words: /r;
}

sub heads {
    my ($titles, @streams) = @_;
    my %state = (titles => $titles, heads => [], unread => []);
    for my $items (@streams) {
        @state{qw(head block table label apart)} = (undef, undef, undef, undef, 1);
        $state{previous} = { kind => 'blank' };
        add(\%state, $_) for @{$items};
    }
    return @state{qw(heads unread)};
}

sub add {
    my ($state, $item) = @_;
    my $label = $state->{label};
    $state->{label} = undef
        if $label && !$label->{heading} && $item->{line} - $label->{line} > LABEL_AWAY;
    if ($item->{kind} ne 'blank') {
        my $problem = $ADD{ $item->{kind} }->($state, $item);
        $state->{apart} = $item->{kind} !~ /^(?:result|row)$/ if !$item->{beside};
        $problem = { why => $problem } if defined $problem && !ref $problem;
        push @{ $state->{unread} }, { line => $item->{line}, text => $item->{text}, %{$problem} }
            if $problem;
    }
    $item->{is_of_head} = is_of_head($item, $state->{previous});
    $state->{previous} = $item;
    return;
}

# A line of a head, or the next lines of a wrapped one
sub is_of_head {
    my ($item, $previous) = @_;
    return $item->{kind} eq 'fact' if $item->{kind} ne 'other' || $item->{heading};
    return $item->{text} =~ $WRAPPED || $previous->{is_of_head} && $item->{text} =~ /\w/;
}

# ---- runs and blocks ------------------------------------------------------------------

sub begin_head {
    my ($state, %fields) = @_;
    my $head = { blocks => [], system => {}, conditions => [], %fields };
    push @{ $state->{heads} }, $head;
    @{$state}{qw(head block table)} = ($head, undef, undef);
    return $head;
}

sub head_of {
    my ($state) = @_;
    return $state->{head} || begin_head($state);
}

sub filled {
    my ($of) = @_;
    return grep { @{ $_->{order} } } @{ $of->{blocks} };
}

sub begin_block {
    my ($state, %fields) = @_;
    my $label = $state->{label};
    my $head = head_of($state);
    $head = begin_head($state, same_machine($head)) if @{ $head->{blocks} } >= BLOCKS_MAX;
    my %empty = (copies => 0, cells => {}, order => [], tables => {}, scores => []);
    my $block = { %empty, label => $label ? $label->{text} : undef, %fields };
    is_of_form($block, '4.1') if ($head->{suite} || q{}) =~ /^UnixBench 4[.]/;
    push @{ $head->{blocks} }, $block;
    @{$state}{qw(block table label)} = ($block, undef, undef);
    return $block;
}

sub same_machine {
    my ($head) = @_;
    return (suite => $head->{suite}, host => $head->{host}, system => { %{ $head->{system} } });
}

sub current_block {
    my ($state) = @_;
    return $state->{block} || begin_block($state);
}

# ---- the head of a report -------------------------------------------------------------

sub add_suite {
    my ($state, $item) = @_;
    my $label = $state->{label};
    my $names = $label && ($label->{announces} || is_title_of($item, $label));
    $label->{heading} = 1 if $names;    # the head is long
    my %own = (protocol => 'imported', posted => { head => [], notes => [] });
    begin_head($state, suite => $item->{suite}, $item->{own} ? %own : ());
    return;
}

# A line of its own directly before the report, or its rule, that is too short for a sentence
sub is_title_of {
    my ($item, $label) = @_;
    return if !$label->{alone} || $item->{line} - $label->{line} > 2;
    return $label->{text} =~ /^\S+(?: +\S+){0,4}(?<![.!?,;\x{3002}])$/ && $label->{text} =~ /.{3}/;
}

# A head without its first line begins another run, too
sub add_fact {
    my ($state, $item) = @_;
    my $run = head_of($state);
    if (filled($run)) {
        return if $item->{legend};
        $run = begin_head($state) if $item->{head};
    }
    $run->{host} = $item->{host} if defined $item->{host};
    my %system = (%{ $item->{system} }, $run->{posted} ? %{ $item->{of_own} || {} } : ());
    @{ $run->{system} }{ keys %system } = values %system;
    $run->{posted}{virtual} = 1 if $run->{posted} && defined $item->{virtual};
    return;
}

# No two runs have the same times: the line stands there twice
sub add_times {
    my ($state, $item) = @_;
    my @names = qw(date from to);
    for my $block (@{ head_of($state)->{blocks} }) {
        return if !grep { !defined $block->{$_} || $block->{$_} ne $item->{$_} } @names;
    }
    begin_block($state, map { $_ => $item->{$_} } @names);
    return;
}

sub add_copies {
    my ($state, $item) = @_;
    my ($cpus, $copies) = @{$item}{qw(cpus copies)};
    return "its number of CPUs or copies is not between 1 and @{[ COPIES_MAX ]}"
        if grep { $_ < 1 || $_ > COPIES_MAX } $copies, $cpus || 1;
    my $block = $state->{block};
    my $is_filled = $block && @{ $block->{order} };
    return if $block && $block->{copies} == $copies && !$is_filled;
    return 'it stands among results' if $state->{previous}{kind} eq 'result';
    $block = begin_block($state) if !$block || $is_filled || $block->{copies};
    $block->{copies} = $copies;
    $block->{cpus} = $cpus if $cpus;
    return;
}

# A column of a table, or a part of it
sub add_column {
    my ($state, $item) = @_;
    return aside($item->{unread}) if defined $item->{unread};
    if (defined $item->{label}) {
        @{$state}{qw(head block table)} = ();
        begin_block($state, label => $item->{label});
    } elsif (defined $item->{condition}) {
        push @{ head_of($state)->{conditions} }, $item->{condition};
    } else {
        my ($copies, $blocks) = ($item->{copies}, head_of($state)->{blocks});
        $state->{block} = first { $_->{copies} == $copies } @{$blocks};
        $state->{block} ||= first { !$_->{copies} && !@{ $_->{order} } } @{$blocks};
        $state->{block} ||= begin_block($state);
        @{ $state->{block} }{qw(copies cpus)} = @{$item}{qw(copies cpus)};
    }
    return;
}

# ---- figures --------------------------------------------------------------------------

# A title that no test has is that of a test only if it resembles no title of a test
sub test_of_item {
    my ($state, $item) = @_;
    my $test = $item->{test};
    return is_of_version($state, $item)
        ? $test
        : "no test of this version has the title '$test->{title}'"
        if $test;
    my $title = $item->{title};
    return 'the words before its numbers are not the title of a test'
        if length $title > TITLE_MAX || $title =~ /\d[.,]\d/a;
    my $known = resembles($state->{titles}, $title);
    return "no test has the title '$title' (the nearest one is '$known')" if defined $known;
    return { name => name_of($title), title => $title, unit => unit_of($title) };
}

# A title of 3.11 can be another one with a word more
sub is_of_version {
    my ($state, $item) = @_;
    return 1 if !$item->{test}{is_old};
    my $suite = head_of($state)->{suite};
    return $suite =~ /^UnixBench 3[.]/ if defined $suite;
    return !defined $item->{seconds} || $item->{seconds} !~ /[.,]/;
}

sub add_result {
    my ($state, $item) = @_;
    begin_labelled($state, $item) if defined $item->{labelled};
    my $test = test_of_item($state, $item);
    return $test if !ref $test;
    my @readings = @{ $item->{readings} };
    return "'$item->{rate}' is not a number" if !@readings;
    return 'its result is not above 0' if grep { $_->{value} <= 0 } @readings;
    return "its unit is $item->{unit}, and that of this test is $test->{unit}"
        if $item->{test} && $item->{unit} ne $test->{unit};
    my $results = cell_of($state, $test, $item)->{results};
    return "@{[ LINES_MAX ]} lines have results of its test already" if @{$results} >= LINES_MAX;
    push @{$results}, $item if !grep { $_->{rate} eq $item->{rate} } @{$results};
    return;
}

# Words with three numbers are a row only in a table or after the title of a test
sub add_row {
    my ($state, $item) = @_;
    begin_labelled($state, $item) if defined $item->{labelled};
    my $table = $state->{table};
    my $in_table = defined $table;
    return
        if !$item->{test} && !$in_table && !defined resembles($state->{titles}, $item->{title});
    my $test = test_of_item($state, $item);
    return $test if !ref $test;
    return 'it stands among results'
        if !$in_table && !$item->{in_table} && $state->{previous}{kind} eq 'result';
    my $rows = cell_of($state, $test, $item)->{rows};
    return "@{[ LINES_MAX ]} lines have results of its test already" if @{$rows} >= LINES_MAX;
    push @{$rows}, { %{$item}, category => $table }
        if !grep { $_->{text} eq $item->{text} } @{$rows};
    $state->{table} = $table;    # a block that begins within it has it, too
    $state->{block}{tables}{ $in_table ? $table : q{} }++;
    return;
}

# A line whose test has one already, after something else than results, begins a block, unless it
# has the same value and no words announce it; so does a result that is not in the block's index
# table, and a row after its score
sub cell_of {
    my ($state, $test, $item) = @_;
    my $block = current_block($state);
    my $cell = $block->{cells}{ $test->{name} };
    my $list = $item->{kind} eq 'row' ? 'rows' : 'results';
    my $label = $state->{label} || {};
    my $begins;
    if ($cell && @{ $cell->{$list} }) {
        my $is_announced = $label->{announces} || $label->{heading};
        $begins = $state->{apart} && ($is_announced || !has_value($item, @{ $cell->{$list} }));
    } elsif ($list eq 'rows') {
        $begins = !$cell && @{ $block->{scores} };
    } elsif (grep { length && $block->{tables}{$_} } keys %{ $block->{tables} }) {
        $begins = !$cell || !has_value($item, @{ $cell->{rows} });
    }
    $block = begin_block($state) if $begins;
    push @{ $block->{order} }, $test->{name} if !$block->{cells}{ $test->{name} };
    return $block->{cells}{ $test->{name} } ||= {
        test    => $test->{name},
        results => [],
        rows    => [],
        map { $_ => $test->{$_} } qw(title unit category)
    };
}

sub has_value {
    my ($item, @lines) = @_;
    my $reading = $item->{readings}[0] or return;
    return scalar grep { is_same($_, $reading) } map { @{ $_->{readings} } } @lines;
}

# A test that the block has already begins the run with this label
sub begin_labelled {
    my ($state, $item) = @_;
    my $block = current_block($state);
    if ($item->{test} && $block->{cells}{ $item->{test}{name} }) {
        my ($table, $copies) = ($state->{table}, $block->{form} ? $block->{copies} : 0);
        begin_head($state);
        my %as_before = (copies => $copies, form => $block->{form});
        begin_block($state, %as_before, label => $item->{labelled});
        $state->{table} = $table;
    } elsif (!@{ $block->{order} }) {
        $block->{label} = $item->{labelled};
    }
    return;
}

# The one table of 4.1 and the tables of 5.x are of different runs
sub add_table {
    my ($state, $item) = @_;
    my $title = $item->{title};
    my %rows = map { %{ $_->{tables} } } @{ head_of($state)->{blocks} };
    begin_head($state)
        if grep { length && $rows{$_} && ($_ eq '4.1' xor $title eq '4.1') } keys %rows;
    my $block = current_block($state);
    $block = begin_block($state) if $block->{tables}{$title};
    $block->{tables}{$title} ||= 0;
    $block->{label} = $state->{label}{text} if !defined $block->{label} && $state->{label};
    @{$state}{qw(table label)} = ($title, undef);
    is_of_form($block, $block->{form} || '4.1') if $title eq '4.1';
    return;
}

# These versions never run more than one copy
sub is_of_form {
    my ($block, $form) = @_;
    $block->{form} = $form;
    $block->{copies} ||= 1;
    return;
}

sub add_score {
    my ($state, $item) = @_;
    my $block = current_block($state);
    is_of_form($block, $item->{form}) if defined $item->{form};
    $state->{table} = undef;
    return if !defined $item->{score};
    my ($reading, @more) = @{ $item->{readings} };
    return "'$item->{score}' can be two numbers" if !$reading || @more;
    my ($other) = grep { $_->{title} eq $item->{title} } @{ $block->{scores} };
    my $score = $reading->{value};

    if (!$other) {
        my %score = (score => $score, partial => defined $item->{partial} ? 1 : 0);
        push @{ $block->{scores} }, { %score, map { $_ => $item->{$_} } qw(title line text) };
        return;
    }
    return $other->{score} == $score
        ? undef
        : "it is a second score; the first one is $other->{score}";
}

sub add_says {
    my ($state, $item) = @_;
    for my $of (@{ $item->{says} }) {
        my %said = %{$of};
        my ($test, $copies) = delete @said{qw(test copies)};
        my $block =
            defined $copies
            ? first { $_->{copies} == $copies } @{ head_of($state)->{blocks} }
            : $state->{block};
        my $cell = $block && defined $test ? $block->{cells}{$test} : undef;
        return 'it is about a test that has no result above' if !$cell;
        my $details = $cell->{details} ||= {};
        %said = (start => { %{ $details->{start} || {} }, %{ $said{start} } }) if $said{start};
        @{$details}{ keys %said } = values %said;
    }
    return;
}

# ---- other lines ----------------------------------------------------------------------

# What looks like a part of a report is listed, what stands before a table names it
sub add_other {
    my ($state, $item) = @_;
    my $text = $item->{text};
    my ($before, $row) = $text =~ /\d/a ? $text =~ /^(.*?[^ ]) *($state->{titles}{any}.*)$/ : ();
    return if defined $before && $before =~ /^\d+ x$/a;    # the passes, while they run
    return 'it looks like a part of a report, but has another format' if looks_like_report($text);
    my ($test) = split_title($state->{titles}, $text);
    my $problem = $test ? problem_of_titled($state, $text) : problem_of_untitled($state, $text);
    $problem = aside('it has a test\'s title and numbers, but is no line of a report')
        if !$problem && defined $before && $row =~ /\d[.,]* *(?:$UNIT|%)?$/a;
    note_label($state, $item) if !$problem;
    return $problem;
}

sub aside { my ($why) = @_; return { why => $why, aside => 1 } }

sub problem_of_titled {
    my ($state, $text) = @_;
    if ($text !~ /\p{Nd}|nan|inf/i || $text =~ /^$state->{titles}{any}$/) {
        return $state->{previous}{kind} =~ /^(?:result|row)$/ ? 'it has no numbers' : undef;
    }
    return 'it begins with a test\'s title, but its numbers cannot be read'
        if defined $state->{table} || $text =~ /\d *$UNIT\b/a;
    return aside(
          $text =~ /\d *%| [+-]\d/a ? 'it is a row of changes, without rates'
        : $text =~ /\S +$NUMBER(?: +$NUMBER)*$/a
        ? 'its numbers have no unit, so that they can be rates or indexes'
        : 'it begins with a test\'s title, but its numbers cannot be read'
    );
}

sub problem_of_untitled {
    my ($state, $text) = @_;
    return aside('it is a line of CSV, and only the text of a report is read')
        if $text =~ /(?:^|,)"?$state->{titles}{any}"?,/;
    return 'it is in an index table, but is not a row of it'
        if defined $state->{table} && $text =~ /\p{Nd}$/;
    return 'the words before its numbers are not the title of a test'
        if $text =~ /^\S.{2,60}? +$NUMBER *$UNIT\b/;
    return aside('it names a test or unit of the suite, but is not a line of its reports')
        if $text =~ $OTHER_FORM;
    my ($title) = $text =~ /^([A-Za-z][^|]{3,60}?)(?: +(?:[|] *)?$NUMBER%?){1,8}$/;
    return if !defined $title || !defined resembles($state->{titles}, $title);
    return aside('it resembles a row of a table of results, but cannot be read');
}

sub note_label {
    my ($state, $item) = @_;
    my $text = $item->{text} =~ s/^[\s*#_=>-]+|(?<![\s*#_:\x{ff1a}=<-])[\s*#_:\x{ff1a}=<-]+$//gr;
    return if length $text > LABEL_MAX || $text !~ /\p{L}|^v?\d+[.]\d/a;
    return if $item->{text} =~ $OF_A_HEAD;
    return if $state->{previous}{is_of_head} && !$item->{heading};

    # a sentence or file's name between a heading and the table
    my $under_heading = $state->{label} && $state->{label}{heading} && $item->{heading} != 1;
    my $announces = $item->{text} =~ /[:\x{ff1a}]$/;
    return if $under_heading && !$announces;
    my $alone = $state->{previous}{kind} ne 'other' || $state->{previous}{text} !~ /\w/;
    my %label =
        (announces => $announces, alone => $alone, map { $_ => $item->{$_} } qw(line heading));
    $state->{label} = { %label, text => $text };
    return;
}

1;
