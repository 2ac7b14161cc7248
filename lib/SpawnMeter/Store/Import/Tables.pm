# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Tables;

# Reports side by side, and tables with columns of machines, runs or numbers of copies, as lines
# of reports one after the other.  Pure functions.
#
#   columns(titles of Import::Words, lines of Import::Lines) -> (lines), which have the stream that
#       they belong to, 0 or a number for each machine of a table.  A line is { text, heading };
#       { label } where a column of a machine begins, { copies } where the next lines of its
#       stream have this number of copies, { text, unread => why } for a row that is recognised
#       and not read; a row computed from an index has from_index

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(first);
use SpawnMeter::Store::Import::Lines qw(recognise looks_like_report);
use SpawnMeter::Store::Import::Words qw(printed_rate resembles test_named UNIT COPIES);

our @EXPORT_OK = qw(columns);

use constant {
    INDEX_MAX => 100_000,
    NO_UNIT   => 'its columns, or the unit of its numbers, are not known',
    OF_TESTS  => 'its columns are tests, and its rows machines or settings; tests are read as rows',
};

my $RATE = qr/\d[\d., ']*/a;
my $UNITS = UNIT;
my $VALUE = qr/^$RATE *[A-Za-z]+$/a;
my $NOTHING = qr{^(?:|-+|n/?a|none|failed|skipped|[-+]?$RATE ?(?:%|[mu]?s))$}i;

# What a column holds, by its head
my $CHANGE = qr/ratio|overhead|change|gain|delta|diff(?:erence)?|(?:speed|slow)-?(?:up|down)/i;
$CHANGE = qr{^(?!(?:before|after|with|without|w/o?|no)\b).*\b(?:$CHANGE|improvement|increase)\b}i;
my @ROLES = (
    [ baseline => qr/^baseline$/i ],
    [ rate     => qr/^(?:result|value|rate)$/i ],
    [ score    => qr/^score$/i ],
    [ index    => qr/^index$/i ],
    [ copies   => qr/^(?:parallel|copies|parallel copies)$/i ],
    [ unit     => qr/^units?$/i ],
    [
        other => qr/^(?:(?:time|secs?|seconds)(?: *[(].*)?|iters[.]?|iterations|samples|passes|n)$/i
    ],
    [ mean  => qr/^(?:mean|average|avg[.]?|\x{5e73}\x{5747}\x{503c}?)$/i ],
    [ other => qr/%|\bvs\b|^verdict$|$CHANGE/i ],
    [ other => qr/^(?:sd|cv|p|p-value)$|\b(?:std[. ]*dev|stdev|stddev|variance)\b/i ],
);
my $COPIES = qr/${\COPIES}|parallel/i;
$COPIES = qr/(?<![ ,(])[ ,(]*\b(\d{1,5})[ -]?(?:parallel |x )?(?:$COPIES)\b\)?/a;

# The head of a table whose columns are separated by blanks
my $NAMES = qr/^(?:test|benchmark|name|title|unixbench|item)s?(?:[ _]?(?:name|case))?/i;
my $HEAD = qr/$NAMES {2,}\S/;
my $INDEXES = qr/^(?:\S+ ){0,3}Benchmarks Index(?: Values?)?$/i;
my $A_RUN = qr/(?:(?:run|pass|\#|no[.]?) ?\d{1,2}|\d{1,2}(?:st|nd|rd|th)(?: run)?)/ai;
my $RUNS = qr/^(?:$A_RUN(?: {2,}|$)){2,}$/;

# The head of a table of ./Run compare or ab, or of the kernel test robot
my $COMMIT = qr/[\da-f]{8,40}/;
my $COMPARED = qr{(?|(?:(\d{1,5})[ ]cop(?:y|ies)[ ]+)?(\S+)[ ]+(\S+)[ ]+(?:delta|B/A)[ ]+95[ ]%
    (?:[ ]verdict)?|()($COMMIT)[ ]+($COMMIT))}ax;

# Rows of tables without marks: "4 X title : ...", of mmtests, of ./Run compare and ab, of the
# kernel test robot.  The names of the columns stand in the line above the first row, as many as
# there are values, or in a head of compare
my $PRINTED = qr{\d[\d.]*[A-Z/]\S*}a;
my @FORMS = (
    {
        row   => qr/^(?<copies>\d{1,5}) ?[xX] (?<title>\S.*?) *: *(?<values>[\d.]+ *[(,].*)$/,
        value => qr/(\d[\d.]*)(?: *[(][-+\d.]+%?[)])?(?:, *|$)/a,
    },
    {
        row   => qr/^(?<what>[A-Z]\S*) +unixbench-(?<title>\w+)-(?<copies>\d+) +(?<values>\d.*)$/a,
        value => qr/(\d[\d.]*) +[(*] *[-+\d.]+%[ )*]+(?:\^ *)?/a,
    },
    {
        row   => qr{^(?<title>[a-z]\S*) +(?<values>$PRINTED +$PRINTED) +[>+-]\S+% +\S+[.]{2}}a,
        value => qr/(\S+)(?: +|$)/,
        names => 'compared',
    },
    {
        row   => qr/^(?<values>\d.*?) +unixbench[.](?<title>throughput)$/a,
        value => qr/([\d.,]+)(?: +\S{1,3} *\d+%)?(?: +[-+][\d.]+% +|$)/a,
        names => 'compared',
    },
);

sub columns {
    my ($titles, @lines) = @_;
    my %state = (titles => $titles, head => [], labelled => {});
    my $has_rates = has_rates($titles, @lines);
    my @read;
    for my $line (@lines) {
        my $text = $line->{text};
        @state{qw(copies compared)} = ($1, [ $2, $3 ]) if $text =~ /^$COMPARED$/;
        $state{test} = $1 if $text =~ /^test: (\w+)$/;
        $state{spaced} = $text =~ $RUNS || $text =~ $HEAD && !recognise($titles, $text)
            if $text =~ /^$|$HEAD|$RUNS/;
        $state{of_row} = { has_rates => $has_rates };
        my @cells = $line->{item} ? () : cells_of_line(\%state, $text);
        if (@cells < 2) {
            $state{above} = [ grep { length } split / {2,}/, $text ]
                if $text =~ /\w/ && !recognise($titles, $text);
            push @read, $line;
            @state{qw(head labelled)} = ([], {}) if $text !~ /^[-=+_| ]*$/;
        } elsif (grep { !/^[-+:= ]*$/ } @cells) {    # no rule under a head
            push @read, map { { number => $line->{number}, %{$_} } } parts(\%state, $text, @cells);
        }
    }
    return @read;
}

# Numbers without a unit are rates where one is too large for an index, and no line speaks of these
sub has_rates {
    my ($titles, @lines) = @_;
    my @texts = map { $_->{text} } @lines;
    return if grep { /\bind(?:ex|ices)\b(?! Score)|\bscore$/i } @texts;
    return scalar grep {
        my ($title, @values) = /[|]/ ? cells($_) : split / {2,}/;
        grep({ /^(\d+)(?:[.]\d+)?$/a && $1 > INDEX_MAX } @values) && test_named($titles, $title);
    } @texts;
}

sub cells_of_line {
    my ($state, $text) = @_;
    my @cells = cells($text);
    @cells = cells_of_form($state, $text) if @cells < 2;
    @cells = cells_of_spaced($state, $text) if @cells < 2 && $state->{spaced};
    return @cells;
}

sub cells {
    my ($text) = @_;
    return if $text !~ /[|]/;
    $text =~ s/[|]{2}/|/g if $text =~ /^[|]{2}/;    # a head of Jira
    my @cells = split /[|]/, $text =~ s/^[|]//r;
    s/^[ *\x{300c}]+|(?<![ *\x{300d}])[ *\x{300d}]+$//g for @cells;
    return @cells;
}

# Of a row of FORMS, which is not read where its values are of another form
sub cells_of_form {
    my ($state, $text) = @_;
    my $form = first { $text =~ $_->{row} } @FORMS or return;
    my %row = $text =~ $form->{row} ? %+ : ();
    my ($title, $values, @values) = @row{qw(title values)};
    $title = $state->{test} // $title if $title eq 'throughput';
    my @names = @{ $state->{ $form->{names} // 'above' } || [] };
    push @values, $1 while $values =~ /\G$form->{value}/gc;
    my $is_whole = @values && pos $values == length $values;
    $is_whole = 0 if $form->{names} && @names != @values;    # whose they are is not known
    $state->{of_row} =
        { form => $form, has_rates => 1, copies => $row{copies} // $state->{copies} };
    $title = "$row{what} of $title" if defined $row{what} && $row{what} !~ /^[AGH]mean$/;
    return ($title, "? $values") if !$is_whole;

    if (@{ $state->{head} } != @values + 1) {
        @names = @names >= @values ? @names[ -@values .. -1 ] : (q{}) x @values;
        my @head = map { { role => q{}, name => $names[$_], stream => $_ } } 0 .. $#names;
        @{$state}{qw(head labelled indexes)} = ([ { role => q{} }, @head ], {}, undef);
    }
    return ($title, @values);
}

# The head and what continues it, or a row; it is read where its values all have their columns
sub cells_of_spaced {
    my ($state, $text) = @_;
    my ($title, @values) = my @cells = split / {2,}/, $text;
    return (q{}, @cells) if $text =~ $RUNS;
    return @cells if $text =~ $HEAD;
    my $test = test_named($state->{titles}, $title);
    return @cells
        if @cells == @{ $state->{head} }
        && (!$test || row_lines($state, $test, $title, @values));
    return
           $test
        && $text =~ /\d/
        && !recognise($state->{titles}, $text) ? ($title, "? @values") : ();
}

# The cells of a line as lines
sub parts {
    my ($state, $text, @cells) = @_;
    my ($titles, $title, @values) = ($state->{titles}, @cells);
    $state->{of_row}{unit} = $title =~ s/(?<! ) *[(]($UNITS)[)]$// ? $1 : undef;
    my $test = test_named($titles, $title);
    return unread_row($state, $test, $text, @cells) if $values[0] =~ /^[?] /;
    my $of_head = $test ? undef : lines_of_head($state, $text, @cells);
    return @{$of_head} if $of_head;
    my @rows = row_lines($state, $test, $title, @values);
    return unread_row($state, $test, $text, @cells) if !@rows && grep { /\d/ } @values;
    my @lines;

    for (@rows) {
        my ($column, @of_column) = @{$_};
        my ($stream, $name) = @{$column}{qw(stream name)};
        unshift @of_column, { label => $name } if !$state->{labelled}{$stream}++ && length $name;
        push @lines, map { { %{$_}, stream => $stream } } @of_column;
    }
    return @lines;
}

# A row that is not read as one: as a line, which can be that of a report, or with the reason
sub unread_row {
    my ($state, $test, $text, $title, @values) = @_;
    my ($titles, $bare) = ($state->{titles}, $title =~ s/ *[(]$UNITS[)]$//r);
    my $nearest = @{ $state->{head} } && !$test && resembles($titles, $bare);
    my $line = $text =~ /[|]/ ? join q{ }, grep { length } $title, @values : $text;
    return { text => $text, unread => NO_UNIT }
        if $values[0] =~ /^[?] / || $test && !recognise($titles, $line);
    return { text => $line } if !$nearest && ($test || !$state->{of_row}{form});
    return { text => $text, unread => "'$bare' is not the name of a test" };
}

# A row without numbers gives the columns their names -> [lines]; undef of another row.  Columns of
# one name that differ in their numbers of copies are of one machine
sub lines_of_head {
    my ($state, $text, @cells) = @_;
    my ($titles, $head, $joined) = (@{$state}{qw(titles head)}, join q{ }, @cells);
    my $item = recognise($titles, $joined);
    return if $item && $item->{kind} ne 'table' || grep { looks_like_report($_) } @cells;
    my $can_be_row = $cells[0] !~ /$NAMES(?: *[(]|$)/ && (length $cells[0] || @{$head});
    return if $can_be_row && grep { /^$RATE(?: [A-Za-z]+)?%?$/a && !/$COPIES/ } @cells;
    set_head($state, @cells);
    return [ { text => $joined } ] if $item && defined $item->{title};
    my @tests = grep { test_named($titles, $_->{name} =~ s{/s\z}{}r) } @{ $state->{head} };
    return [ @tests && $text !~ /\d[.]\d/a ? { text => $text, unread => OF_TESTS } : () ];
}

sub set_head {
    my ($state, $first, @cells) = @_;
    my (@head, %stream);
    for my $cell ($first, @cells) {
        my $i = @head - 1;
        my $column = column($state, $cell, $i, scalar @cells);
        my $name = $column->{name};
        $stream{$name} = $i if !$column->{copies} || !defined $stream{$name};
        push @head, { %{$column}, stream => $stream{$name} };
    }
    name_machines(@head);
    $state->{indexes} = $first =~ $INDEXES && !grep { $_->{role} =~ /^(?:baseline|rate)$/ } @head;
    if ($state->{indexes} && !grep { $_->{role} ne 'index' } @head[ 1 .. $#head ]) {
        @{ $head[$_] }{qw(role name)} = (q{}, name_above($state, $_ - 1, scalar @cells))
            for 1 .. $#head;
    }
    unshift @cells, $first if $first !~ /$NAMES/;
    @{$state}{qw(head labelled above)} = (\@head, {}, [ grep { length } @cells ]);
    return;
}

# What the head of a column says; i: its number, -1 of the titles
sub column {
    my ($state, $cell, $i, $columns) = @_;
    my $name = $cell =~ s/(?<! ) *[(]?\b$UNITS\b[)]?//r;
    my ($heading, @other) = @{ $state->{above} || [] };
    my $is_run = $i >= 0 && $name =~ /^$A_RUN$/;
    $name = @other ? q{} : ($heading // q{}) =~ s/:\z//r if $is_run;
    my $role = first { $name =~ $_->[1] } @ROLES, [ q{}, qr/^/ ];
    my %column =
        (role => $role->[0], is_run => $is_run, unit => $cell =~ /\b($UNITS)\b/ ? $1 : undef);
    $column{copies} = $1 if !$column{role} && $cell =~ $COPIES;
    $name =~ s/$COPIES// if $column{copies};
    $name = name_above($state, $i, $columns) if !length $name && $column{copies};
    return { %column, name => $name };
}

# In a table that has not exactly one column of results, "result" and the like name machines; a mean
# is one where the table does not have its runs
sub name_machines {
    my (@head) = @_;
    my $has_runs = grep { $_->{is_run} } @head;
    $_->{role} = 'rate' for grep { $_->{role} eq 'mean' && !$has_runs } @head;
    my @rates = grep { $_->{role} eq 'rate' } @head;
    @rates = grep { $_->{role} eq 'score' } @head if !@rates;
    $_->{role} = q{} for grep { $_->{role} =~ /^(?:rate|baseline)$/ } @rates == 1 ? () : @head;
    return if @rates != 1;
    $rates[0]{role} = 'rate';
    $_->{stream} = 0 for @head;
    $_->{name} = q{} for grep { $_->{role} } @head;
    return;
}

# The names of machines can stand in the line above, over one or several columns each
sub name_above {
    my ($state, $i, $columns) = @_;
    my @names = @{ $state->{above} || [] };
    shift @names if @names && $names[0] =~ /$NAMES$/;
    return q{} if !@names || $columns % @names || @names == 1 && $columns > 1;
    return $names[ $i * @names / $columns ];
}

# A row as lines of a report, by what the head calls its columns: [ column, lines ] of each machine;
# nothing where a value is neither a result nor a score
sub row_lines {
    my ($state, $test, $title, @values) = @_;
    my ($of_row, @head) = ($state->{of_row}, @{ $state->{head} });
    return if @head && @values >= @head || !$test && (@values < 2 || $title !~ / Index Score/i);
    my %cell = map { $head[$_]{role} => $values[ $_ - 1 ] // q{} } 1 .. $#head;
    my ($unit) = grep { defined } $cell{unit}, $of_row->{unit}, @head ? $head[0]{unit} : ();
    my ($of_copies) = grep { defined && /^\d{1,5}$/a } $of_row->{copies}, $cell{copies};
    my $wanted = exists $cell{rate} ? 'rate' : q{};
    my @rows;

    for my $i (grep { $values[$_] !~ $NOTHING } 0 .. $#values) {
        my $column = $head[ $i + 1 ] || { role => q{}, stream => $i, name => q{} };
        next if $column->{role} ne $wanted && ($test || $column->{role} ne 'index');
        my $copies = $column->{copies} || $of_copies;
        $cell{unit} = $column->{unit} || $unit;
        my $line =
            $test
            ? line_of($state, $test, $values[$i], \%cell)
            : $values[$i] =~ /^[\d.,]*$/a && { text => "$title $values[$i]" };
        push @rows, [ $column, $copies ? { copies => $copies } : (), $line || return ];
    }
    return @rows;
}

sub line_of {
    my ($state, $test, $value, $cell) = @_;
    my ($baseline, $index, $unit) = @{$cell}{qw(baseline index unit)};
    $value =~ s/(?<=\d) (?=\d{3})|(?<! ) *[(][-+]?$RATE ?%[)]$//g;
    return line_of_index($test, $value) if $state->{indexes};
    return { text => "$test->{title} $baseline $value $index" }
        if exists $cell->{rate} && length($baseline // q{}) && length($index // q{});
    $unit //= $test->{unit} if $state->{of_row}{has_rates};
    $value .= " $unit" if defined $unit && $value =~ /^$RATE$/a;
    my %printed = printed_rate($value);
    $value = "$printed{rate} $printed{unit}" if $printed{unit};
    return $value =~ $VALUE && { text => "$test->{title} $value" };
}

# An index as the row that it was computed from
sub line_of_index {
    my ($test, $index) = @_;
    return if !$test->{baseline} || $index !~ /^\d[\d.]*$/a;
    my $rate = sprintf '%.1f', int($index * $test->{baseline} + 0.5) / 10;
    return { text => "$test->{title} $test->{baseline} $rate $index", from_index => 1 };
}

1;
