# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Verdicts;

# A comparison as text of 72 columns, more only for long names, in ASCII: it is pasted into mails.
#
#   render(comparison) -> of two runs a sentence, what they are, a table, and how they differ; of
#       more their ranking, what differs between them as letters, and a sentence for each of a few
#   markdown(comparison) -> the same as Markdown
#   brief(comparison, command line that prints all) -> three lines for a chat: the answer, the
#       scores, the command
#   sentences(comparison, names of its runs) -> a sentence for each run but the first, with which it
#       is compared
#   words_of_block(table of Analysis::Ranking) -> "1 copy: System index, partial: execl spawn"
#   group(spread of Analysis::Comparison, runs => [its runs], label => theirs or undef, usual =>
#       true where usual runs are longer, reason => why it is not complete, or undef) -> how much
#       equal runs differ, and in which facts

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max);
use SpawnMeter::Analysis::Comparison  qw(SIDES);
use SpawnMeter::Analysis::Fingerprint qw(differing_facts libc names_machine series);
use SpawnMeter::Analysis::Ranking     qw(members);
use SpawnMeter::Analysis::Results     qw(grouped);
use SpawnMeter::Report::Differences   qw(about cells cells_of_row counts differences loops
    markdown_table name_of_index paragraphs rows_of_indexes rows_of_table short_names text_table
    tables_of_pair words_of_copies);
use SpawnMeter::Report::Escape        qw(ascii in_markdown number);
use SpawnMeter::Report::Text::Quality qw(busy_words sign_of_doubt);
use SpawnMeter::Util::Format          qw(change copies duration folded interval percent rate);

our @EXPORT_OK = qw(words_of_block);

use constant {
    WIDTH  => 72,
    NARROW => 65,    # a terminal without room for two rates
    TESTS  => 4,     # columns of a table of all tests
    NAMED  => 6,     # machines at most of which a ranking has a sentence each
};

my $LEGEND = '+ is better.  Rates of stored runs are trimmed means of the passes; reports have '
    . 'medians.  95 %: interval of delta; in 95 % of such comparisons all of them hold';

sub render {
    my ($comparison) = @_;
    my $width = $comparison->{width} // WIDTH;
    return ranked($comparison, $width >= NARROW, \&paragraphs, sub { text_table($width, @_) })
        if $comparison->{ranking};
    my ($pair, $facts) = map { $_->[0] } @{$comparison}{qw(pairs differences)};
    my ($names, @runs) = ([ short_names($comparison) ], @{ $comparison->{runs} });
    my $text = paragraphs(sentences($comparison, @{$names}));
    $text .= folded("  $names->[$_]: ", ascii(join '; ', about($runs[$_])), WIDTH, q{ } x 4)
        for 0, 1;
    my @form = ($width, [ @{$names}, 'delta', '95 %', q{} ]);

    if (my @rows = rows_of_table($pair)) {
        $text .= tables_of_pair(@form, \&cells_of_row, @rows) . legend($pair);
    }
    if (my @blocked = @{ $pair->{blocked} || [] }) {
        my $cells = sub { cells_of_row($_[0], words => \&duration) };
        $text .= "\nTime that the call blocks the parent (+ is longer):\n"
            . tables_of_pair(@form, $cells, @blocked);
    }
    my %why = map { defined $_->{why} ? ($_->{why} => 1) : () } @{ $pair->{rows} };
    my @busy = %why ? 'Busy: ' . join('; ', sort keys %why) . q{.} : ();
    return join q{}, $text, "\n", paragraphs(unclear($pair), @busy),
        text_of_facts($facts, $comparison->{verbose}),
        paragraphs(
        lacking(map { members($_) } @runs),
        levels($pair, $comparison->{equals}),
        loops($pair)
        );
}

sub markdown {
    my ($comparison) = @_;
    my $prose = sub {
        join "\n", map { in_markdown($_) . "\n" } @_;
    };
    my $table = sub { my ($optional, @rows) = @_; return "\n" . markdown_table(@rows) };
    return ranked($comparison, 1, $prose, $table) if $comparison->{ranking};
    my ($pair, $facts) = map { $_->[0] } @{$comparison}{qw(pairs differences)};
    my @names = short_names($comparison);
    my @runs = map { in_markdown(join '; ', about($_)) } @{ $comparison->{runs} };
    my @lines = map { q{**} . in_markdown($names[$_]) . "**: $runs[$_]" } 0, 1;
    push @lines, map { in_markdown($_) } map({ "differs: $_" } differences($facts)), loops($pair);
    my @rows = map { [ $_->{title}, words_of_copies($_) =~ s/ cop\w+\z//r, cells_of_row($_) ] }
        rows_of_table($pair);
    return join "\n", $prose->(sentences($comparison, @names)),
        join(q{}, map { "- $_\n" } @lines),
        markdown_table([ 'test', 'copies', @names, 'delta', '95 %', 'verdict' ], @rows);
}

sub brief {
    my ($comparison, $command) = @_;
    my ($first, @others) = @{ $comparison->{pairs} };
    my @scores =
        map { sprintf '%s %.1f -> %.1f (%s)', @{$_}{qw(test old new)}, words_of_copies($_) }
        @others ? () : rows_of_indexes($first);
    $command = 'the same command without --brief' if length $command > WIDTH;
    return join q{},
        map { ascii($_) . "\n" }
        sentences($comparison, map { $_->{called} } @{ $comparison->{runs} }),
        @scores ? join '; ', @scores : (), "The whole: $command";
}

# ---- the answer ----

sub sentences {
    my ($comparison, $first, @others) = @_;
    return map { sentence($_, shift @others, $first) } @{ $comparison->{pairs} };
}

# "new is 10.0 % slower than old: 7 of 8 tests slower, 1 unclear."
sub sentence {
    my ($pair, $new, $old) = @_;
    my @rows = @{ $pair->{rows} } or return "$old and $new have no result in common.";
    return as_a_whole($pair, $new, $old) . ': ' . counts(@rows) . q{.}
        if !grep { $_->{verdict} eq 'busy' } @rows;
    return "$old and $new: no verdict as a whole: " . counts(@rows) . q{.} if !$pair->{is_busy};

    # with --busy the user knows that the runs were
    my @words =
        map { change($_->{ratio}) . ' (95 %: ' . interval($_) . '), ' . words_of_copies($_) }
        @{ $pair->{means} };
    return "Busy, without a verdict: $new compared with $old " . join('; ', @words) . q{.};
}

# -> "new is 10.0 % slower than old", by the interval of all tests together at each number of copies
sub as_a_whole {
    my ($pair, $new, $old) = @_;
    my @rows = @{ $pair->{rows} };
    my @all = @rows == 1 ? @rows : @{ $pair->{means} };
    my $by = by_how_much(@all);
    return "$new is $by slower than $old" if !grep { $_->{high} >= 1 } @all;
    return "$new is $by faster than $old" if !grep { $_->{low} <= 1 } @all;
    return "$new differs from $old at some tests"
        if grep({ $_->{low} > 1 || $_->{high} < 1 } @all) || grep { $_->{verdict} =~ /er\z/ } @rows;
    return "$new differs from $old by less than these runs can show";
}

# -> "10.0 %" or "2.1 to 10.0 %"
sub by_how_much {
    my (@all) = @_;
    my ($by, @more) =
        map { sprintf '%.1f', $_ } sort { $a <=> $b } map { abs 100 * ($_->{ratio} - 1) } @all;
    return @more && $more[-1] ne $by ? "$by to $more[-1] %" : "$by %";
}

# ---- how the two differ ----

sub text_of_facts {
    my ($facts, $is_verbose) = @_;
    my @differ = map { folded(q{ } x 4, $_, WIDTH) } differences($facts);
    my @unknown = @{ $facts->{unknown} };
    my $unknown = $is_verbose ? join q{, }, @unknown : @unknown . ' facts (-v)';
    return join q{}, @differ
        ? ("Differences of machine, build or settings:\n", @differ)
        : paragraphs(identity($facts)),
        @unknown ? folded('Known for only one of the two: ', $unknown, WIDTH, q{ }) : ();
}

# A sentence about two runs without a difference, which can lack the facts that name a machine
sub identity {
    my ($facts) = @_;
    return 'Same machine and build.' if names_machine($facts);
    my $compared = join(q{, }, @{ $facts->{compared} }) || 'nothing';
    return "Whether machine and build are the same is unknown: both name only $compared.";
}

# -> a sentence that names the tests without a row, or an empty text
sub lacking {
    my (@runs) = @_;
    my (%in, %tests);
    $in{$_}++ for map { keys %{ $_->{cells} } } @runs;
    for my $key (grep { $in{$_} < @runs } sort keys %in) {
        my ($copies, $test) = split / /, $key, 2;
        my $block = $copies eq 'each' ? 'a copy on each CPU' : words_of_copies($copies);
        push @{ $tests{$block} }, $test;
    }
    my @words = map { "$_: @{ $tests{$_} }" } sort keys %tests or return q{};
    return 'Not in all runs: ' . join('; ', @words) . q{.};
}

use constant {
    ONE_RUN => 'One run a side, and equal runs are taken to differ by %s: a test must differ by '
        . 'about %s or %s to be called faster or slower.  Several runs of each, in turn, resolve '
        . 'more.',
    SEVERAL => '%s differ by %s that all tests share and by %s that each has for itself (%s).',
    ORDER   => '  They were not measured in turn (%s): that would make the part that tests share '
        . 'narrower by a factor of %.1f.',
};

# -> a sentence: how much the runs themselves differ, which an interval cannot be below, by the
# group with the most tests
sub levels {
    my ($pair, $equals) = @_;
    my ($group, @others) = sort { $b->{tests} <=> $a->{tests} } @{ $pair->{groups} } or return;
    my ($shared, $own) = map { percent(exp(sqrt) - 1) } @{ $group->{level} };
    $shared .= ' (' . words_of_copies($group->{copies}) . ')'
        if grep { $_->{copies} != $group->{copies} && $_->{level}[0] != $group->{level}[0] }
        @others;
    if (!$group->{f}) {
        my @halves = sort { $a <=> $b } map { $_->{high} / $_->{ratio} } @{ $pair->{rows} };
        my $half = $halves[ @halves / 2 ];
        return sprintf ONE_RUN, $shared, change($half), change(1 / $half);
    }
    my $runs = $group->{paired} ? 'Pairs' : 'Runs';
    my $freedom = $group->{f} == 1 ? '1 degree of freedom' : "$group->{f} degrees of freedom";
    $freedom .= ' with those of ' . join ' and ', @{$equals} if $group->{equals};
    my $text = sprintf SEVERAL, $runs, $shared, $own, $freedom;
    return $text if $group->{kappa} <= 1;
    return $text . sprintf ORDER, $pair->{order} // 'the order is unknown', sqrt $group->{kappa};
}

sub legend {
    my ($pair) = @_;
    my @same = grep { $_->{verdict} eq 'same' } @{ $pair->{rows} };
    my $same = @same ? sprintf ' (same: within %g %%)', 100 * $pair->{margin} : q{};
    my %said;    # at another number of copies
    my @partial = grep { !$said{$_}++ }
        map { $_->{partial} ? "$_->{test}: partial, of @{ $_->{names} }." : () }
        rows_of_indexes($pair);
    return "\n" . paragraphs("$LEGEND$same.", @partial);
}

# -> sentences: what would make unclear rows clear, and what they show beside the other tests
sub unclear {
    my ($pair) = @_;
    my @rows = grep { $_->{verdict} eq 'unclear' } @{ $pair->{rows} } or return;
    my @beside = map {
              "$_->{test}, "
            . copies($_->{copies}) . q{: }
            . change($_->{beside})
            . ' beside the other tests.'
    } grep { defined $_->{beside} } @rows;
    my $advice = advice(sprintf('%g %%', 100 * $pair->{margin}), @rows);
    return sprintf('Unclear: %d of %d; %s.', scalar @rows, scalar @{ $pair->{rows} }, $advice),
        @beside;
}

sub advice {
    my ($margin, @rows) = @_;
    return 'with "?" the passes are too few: take a longer --max-time'
        if grep { interval($_) eq q{?} } @rows;
    return "more runs would not resolve $margin here: ./Run ab does, or a quieter machine"
        if grep { !defined $_->{needed} } @rows;
    my $runs = max(map { $_->{needed} } @rows);
    return "$runs runs a side, measured in turn, would resolve $margin" if $runs;
    return 'posts have no samples: only several of each state would tell more';
}

# ---- more than two: a ranking, with a table for 1 copy and one for a copy on each CPU ----

# In a form: true where two rates have room, sub (texts) -> paragraphs, sub ([numbers of columns
# that can be left out], rows of cells) -> table
sub ranked {
    my ($comparison, $has_rates, $prose, $table) = @_;
    my @runs = @{ $comparison->{runs} };
    my ($letters, @facts) = letters(@runs);
    my @parts = $prose->('Ranking of ' . @runs . " machines.  ratio: to $runs[0]{called}");
    for my $ranking (@{ $comparison->{ranking} }) {
        my ($machine, @columns) = columns($ranking, \@runs, $letters);
        my @rates = grep { $columns[ $_ - 1 ][0] =~ m{/s\z} } 1 .. @columns;
        splice @rates, 0, 2 if $has_rates;
        push @parts,
            $prose->(words_of_block($ranking))
            . $table->(\@rates, in_cells($ranking, $machine, @columns));
        my @tests = $comparison->{verbose} ? rates($ranking) : ();
        while (my @some = splice @tests, 0, TESTS) {
            push @parts, $table->([], in_cells($ranking, $machine, @some));
        }
    }
    my @few = @{ $comparison->{pairs} } < NAMED ? short_names($comparison) : ();
    return join "\n", @parts, $prose->(notes($comparison), @facts),
        @few ? $prose->(sentences($comparison, @few)) : ();
}

# -> (the heads, the cells of each machine ...)
sub in_cells {
    my ($table, @columns) = @_;
    my @rows = [ map { $_->[0] } @columns ];
    for my $row (@{ $table->{rows} }) {
        push @rows, [ map { $_->[1]->($row) } @columns ];
    }
    return @rows;
}

# The columns of all tests, each in its unit
sub rates {
    my ($table) = @_;
    my $units = $table->{units};
    return map {
        my $test = $_;
        [ $test, sub { rate($_[0]{rates}{$test}, $units->{$test}) } ]
    } sort keys %{$units};
}

sub words_of_block {
    my ($table) = @_;
    my $block = $table->{each} ? 'A copy on each CPU' : words_of_copies($table->{copies});
    my @tests = @{ $table->{tests} || [] } or return "$block: no index";
    my $index = "$block: " . name_of_index($table->{title});
    return "$index, partial: @tests" if $table->{partial};
    return "$index of " . @tests . (@tests == 1 ? ' test' : ' tests');
}

# The columns of a table: [head, sub (row) -> text]
sub columns {
    my ($table, $runs, $letters) = @_;
    return (
        [ 'machine', sub { name_of($runs->[ $_[0]{run} ], $_[0]{members}) } ],
        [ 'place', sub { $_[0]{place} // q{-} } ],
        $table->{each} ? [ 'copies', sub { $_[0]{copies} } ] : (),
        defined $table->{tests}
        ? [ 'score', sub { number('%.1f', ($_[0]{score} || {})->{value}) // q{-} } ]
        : (),
        (grep { ($_->{score} || {})->{low} } @{ $table->{rows} })
        ? [ '95 %', sub { ends($_[0]{score}) } ]
        : (),
        [ 'ratio', sub { number('%.2f', ($_[0]{ratio} || {})->{value}) // q{-} } ],
        map({ rate_column($_) } @{ $table->{columns} }),
        %{$letters} ? [ q{}, sub { $letters->{ $_[0]{run} } // q{} } ] : (),
    );
}

sub rate_column {
    my ($test) = @_;
    return [ "$test/s", sub { rate($_[0]{rates}{$test}, 'lps') =~ s{/s\z}{}r } ];
}

sub name_of {
    my ($run, $here) = @_;
    my $all = members($run);
    my $runs = !$run->{members} ? q{} : $here == $all ? " ($all)" : " ($here of $all)";
    return $run->{called} . $runs . mark_of_run($run);
}

sub mark_of_run { my ($run) = @_; return sign_of_doubt(cells($run)) }

sub ends {
    my ($range) = @_;
    return $range && defined $range->{low} ? sprintf '%.1f..%.1f', @{$range}{qw(low high)} : q{-};
}

sub notes {
    my ($comparison) = @_;
    my @rows = map { @{ $_->{rows} } } @{ $comparison->{ranking} };
    my $half = max(grep { defined } map { $_->{half} } @rows);
    return (
        (grep { ($_->{score} || {})->{low} } @rows)
        ? '95 %: interval of the score by the passes of the run; of a group over its runs.'
        : (),
        defined $half
        ? 'A place is one more than the number of machines that are faster by more than two runs '
            . 'of one machine can differ ('
            . percent(exp($half) - 1) . ').'
        : 'No places: the first run has no result in common with another.  Name another one first.',
        (grep { length mark_of_run($_) } @{ $comparison->{runs} })
        ? '* behind a name: other processes were busy beside some results; !, some were disturbed.'
        : ()
    );
}

# ---- what differs between many machines, as letters ----

my @LETTERED = (
    [ 'suite', sub { $_[0]{suite} } ],
    [ 'kernel', \&series ],
    [ 'C library', \&libc ],
    [ 'compiler', sub { (($_[0]{build} || [])->[0] // q{}) =~ /\A([^,]+)/ ? $1 : undef } ],
    (
        map {
            my $fact = $_;
            [ $fact, sub { ($_[0]{system} || {})->{$fact} } ]
        } qw(mitigations hypervisor container)
    ),
);

# -> ({ number of a run => letters }, lines that say what they mean)
sub letters {
    my (@runs) = @_;
    my (%letters, @lines);
    my @free = ('a' .. 'z', 'A' .. 'Z');
    for my $fact (@LETTERED) {
        my ($what, $value) = @{$fact};
        my @known = grep { defined $_->{value} }
            map { { run => $_, value => scalar $value->($runs[$_]{head}) } } 0 .. $#runs;
        my ($usual, @others) = sort { @{$b} <=> @{$a} } grouped(value => @known);
        next if !@others || @others > @free;
        my @marked;
        for (@others) {
            my ($own, @with) = @{$_};
            my $letter = shift @free;
            push @marked, "$letter $own";
            $letters{ $_->{run} } .= $letter for @with;
        }
        my $unmarked = @known < @runs ? "unmarked $usual->[0] or unknown" : "unmarked $usual->[0]";
        push @lines, "$what: " . join '; ', @marked, $unmarked;
    }
    return (\%letters, @lines);
}

# ---- equal runs ----

use constant {
    DIFFER => '%s: runs differ by %s that all tests share and by %s that each has for itself '
        . '(standard deviations, beyond what their passes explain).',
    APART => 'The run %s is %s from the others.  Remove its files from results/ and repeat the '
        . 'command, which measures it again.',
};

sub group {
    my ($spread, %options) = @_;
    my $end = below_group(%options);
    my @rows = map {
        my $width = ($_->{plus_minus} || 0) > 1 ? q{?} : percent($_->{plus_minus});
        [ @{$_}{qw(test copies)}, rate(@{$_}{qw(rate unit)}), $width, percent($_->{spread}) ]
    } @{ $spread->{rows} };
    return <<'END' . $end if !@rows;
No test was measured in two runs with three passes that count: nothing to
compare.  Take a longer --max-time.
END
    my $label = defined $options{label} ? ", $options{label}" : q{};
    my $apart = $spread->{apart};
    my @differ = $apart ? sprintf(APART, $apart->{name}, change($apart->{ratio})) : ();
    my @resolves = [ 'runs a side', SIDES ];
    for my $group (@{ $spread->{groups} }) {
        my $copies = copies($group->{copies});
        push @differ, sprintf DIFFER, $copies, map { percent($_) } @{$group}{qw(shared own)};
        push @resolves, [ $copies, map { percent($_) } @{ $group->{resolves} }{ +SIDES } ];
    }
    my $such = $options{usual} ? 'usual (longer)' : 'such';
    return join "\n", q{}, paragraphs("The same tests in $spread->{runs} runs$label."),
        text_table(WIDTH, [], [ qw(test copies rate +/-), 'runs differ by' ], @rows),
        paragraphs(@differ),
        paragraphs("Smallest difference of one test that $such runs can show here:"),
        text_table(WIDTH, [], @resolves) . $end;
}

# -> lines: that they are incomplete or busy, and in which facts they differ
sub below_group {
    my (%options) = @_;
    my $group = { members => $options{runs} };
    my $busy = busy_words('results', cells($group));
    my $facts = differing_facts($group, $group);
    my $end = join q{},
        defined $options{reason} ? paragraphs("INCOMPLETE: $options{reason}")               : (),
        length $busy        ? paragraphs("BUSY: $busy.  Measure again on a quiet machine.") : (),
        differences($facts) ? text_of_facts($facts)                                         : ();
    return length $end ? "\n$end" : q{};
}

1;
