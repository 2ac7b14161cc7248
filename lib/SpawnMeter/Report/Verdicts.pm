# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Verdicts;

# A comparison as text of at most 72 columns, in ASCII: it is pasted into mails.
#
#   render(comparison) -> of two runs a sentence, what they are, a table, and how they differ; of
#       more their ranking, and a sentence for each of a few
#   markdown(comparison) -> the same as Markdown
#   brief(comparison, command line that prints all) -> three lines for a chat: the answer, the
#       scores, the command
#   sentences(comparison, names of its runs) -> a sentence for each run but the first, with which it
#       is compared
#   group(spread of Analysis::Comparison, runs => [its runs], label => theirs or undef, usual =>
#       true where usual runs are longer, reason => why it is not complete, or undef) -> how much
#       equal runs differ, and in which facts

use strict;
use warnings;
use List::Util                        qw(max);
use SpawnMeter::Analysis::Comparison  qw(SIDES);
use SpawnMeter::Analysis::Fingerprint qw(differing_facts names_machine);
use SpawnMeter::Analysis::Ranking     qw(members);
use SpawnMeter::Report::Differences   qw(about cells cells_of_row counts differences loops
    markdown_table paragraphs rows_of_indexes rows_of_table short_names tables_of_pair
    words_of_copies);
use SpawnMeter::Report::Escape        qw(ascii in_markdown);
use SpawnMeter::Report::Ranked        ();
use SpawnMeter::Report::Text::Quality qw(busy_words);
use SpawnMeter::Util::Format          qw(change copies duration folded interval percent rate);

use constant {
    WIDTH => 72,
    NAMED => 6,    # machines at most of which a ranking has a sentence each
};

my $LEGEND = '+ is better.  Rates of stored runs are trimmed means of the passes; reports have '
    . 'medians.  95 %: interval of delta; in 95 % of such comparisons all of them hold';

sub render {
    my ($comparison) = @_;
    return join "\n", SpawnMeter::Report::Ranked::text($comparison),
        map { paragraphs(@{$_}) } sentences_of_few($comparison)
        if $comparison->{ranking};
    my ($pair, $facts) = map { $_->[0] } @{$comparison}{qw(pairs differences)};
    my ($names, @runs) = ([ short_names($comparison) ], @{ $comparison->{runs} });
    my $text = paragraphs(sentences($comparison, @{$names}));
    $text .= folded("  $names->[$_]: ", ascii(join '; ', about($runs[$_])), WIDTH, q{ } x 4)
        for 0, 1;
    my @form = ($comparison->{width} // WIDTH, [ @{$names}, 'delta', '95 %', q{} ]);
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
    return join "\n", SpawnMeter::Report::Ranked::markdown($comparison),
        map { in_markdown($_) . "\n" } map { @{$_} } sentences_of_few($comparison)
        if $comparison->{ranking};
    my ($pair, $facts) = map { $_->[0] } @{$comparison}{qw(pairs differences)};
    my @names = short_names($comparison);
    my @runs = map { in_markdown(join '; ', about($_)) } @{ $comparison->{runs} };
    my @lines = map { q{**} . in_markdown($names[$_]) . "**: $runs[$_]" } 0, 1;
    push @lines, map { in_markdown($_) } map({ "differs: $_" } differences($facts)), loops($pair);
    my @rows = map { [ $_->{title}, words_of_copies($_) =~ s/ cop\w+\z//r, cells_of_row($_) ] }
        rows_of_table($pair);
    return join "\n", map({ in_markdown($_) . "\n" } sentences($comparison, @names)),
        join(q{}, map { "- $_\n" } @lines),
        markdown_table([ 'test', 'copies', @names, 'delta', '95 %', 'verdict' ], @rows);
}

sub brief {
    my ($comparison, $command) = @_;
    my ($first, @others) = @{ $comparison->{pairs} };
    my @scores =
        map { sprintf '%s %.1f -> %.1f (%s)', @{$_}{qw(name old new)}, words_of_copies($_) }
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

# -> [a sentence for each], or nothing where they are many
sub sentences_of_few {
    my ($comparison) = @_;
    return if @{ $comparison->{pairs} } >= NAMED;
    return [ sentences($comparison, short_names($comparison)) ];
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

# -> "10.0 %", "2.1 to 10.0 %", or of machines with different numbers of CPUs one for each
sub by_how_much {
    my (@all) = @_;
    my ($by, @more) =
        map { sprintf '%.1f', $_ } sort { $a <=> $b } map { abs 100 * ($_->{ratio} - 1) } @all;
    return join ' and ',
        map { sprintf '%.1f %% (%s)', abs 100 * ($_->{ratio} - 1), words_of_copies($_) } @all
        if grep { $_->{copies} != ($_->{to_copies} // $_->{copies}) } @all;
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

# -> a text: how much the runs themselves differ, which an interval cannot be below, at each number
# of copies by the group with the most tests
sub levels {
    my ($pair, $equals) = @_;
    my %group_of_copies = map { $_->{copies} => $_ }
        sort { $a->{tests} <=> $b->{tests} } reverse @{ $pair->{groups} };
    my @most = @group_of_copies{ sort { $a <=> $b } keys %group_of_copies } or return;
    my @words = map { level_of($_, $equals) } @most;
    my @of_copies =
        map { words_of_copies($most[$_]{copies}) . q{: } . lcfirst $words[$_] } 0 .. $#most;
    my $text = (grep { $_ ne $words[0] } @words) ? join('; ', @of_copies) : $words[0];
    my @halves = sort { $a <=> $b } map { $_->{high} / $_->{ratio} } @{ $pair->{rows} };
    return
        sprintf '%s: a test must differ by about %s or %s to be called faster '
        . 'or slower.  Several runs of each, in turn, resolve more.', $text,
        map { change($_) } $halves[ @halves / 2 ], 1 / $halves[ @halves / 2 ]
        if grep { !$_->{f} } @most;
    return "$text." if $most[0]{kappa} <= 1;
    return
        sprintf '%s.  They were not measured in turn (%s): that would make the part that tests '
        . 'share narrower by a factor of %.1f.', $text, $pair->{order} // 'the order is unknown',
        sqrt $most[0]{kappa};
}

sub level_of {
    my ($group, $equals) = @_;
    my ($shared, $own) = map { percent(exp(sqrt) - 1) } @{ $group->{level} };
    my $f = $group->{f} or return "One run a side, and equal runs are taken to differ by $shared";
    my $known = $group->{equals} ? ' with those of ' . join(' and ', @{$equals}) : q{};
    return
        sprintf '%s differ by %s that all tests share and by %s that each has for itself '
        . '(%d %s of freedom%s)', $group->{paired} ? 'Pairs'  : 'Runs', $shared, $own, $f,
        $f == 1                                    ? 'degree' : 'degrees', $known;
}

sub legend {
    my ($pair) = @_;
    my @same = grep { $_->{verdict} eq 'same' } @{ $pair->{rows} };
    my $same = @same ? sprintf ' (same: within %g %%)', 100 * $pair->{margin} : q{};
    return "\n"
        . paragraphs("$LEGEND$same.",
        map { $_->{partial} ? "$_->{name}: partial, of @{ $_->{names} }." : () }
            rows_of_indexes($pair));
}

# -> sentences: what would make unclear rows clear, and what they show beside the other tests
sub unclear {
    my ($pair) = @_;
    my @rows = grep { $_->{verdict} eq 'unclear' } @{ $pair->{rows} } or return;
    my @beside =
        map { "$_->{test}, " . copies($_->{copies}) . ": $_->{words} beside the other tests." }
        map { { %{$_}, words => change($_->{beside}) } } grep { defined $_->{beside} } @rows;
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

# ---- equal runs ----

use constant {
    SPREAD => "  %-14s %6s %11s %7s %14s\n",
    DIFFER => '%s: runs differ by %s that all tests share and by %s that each has for itself '
        . '(standard deviations, beyond what their passes explain).',
    RESOLVES => '  %-16s' . ' %7s' x (() = SIDES) . "\n",
};

sub group {
    my ($spread, %options) = @_;
    my $end = below_group(%options);
    return <<'END' . $end if !@{ $spread->{rows} };
No test was measured in two runs with three passes that count: nothing to
compare.  Take a longer --max-time.
END
    my $label = defined $options{label} ? ", $options{label}" : q{};
    my $text = "\n" . paragraphs("The same tests in $spread->{runs} runs$label.") . "\n";
    $text .= sprintf SPREAD, qw(test copies rate +/-), 'runs differ by';
    $text .= sprintf SPREAD, ascii($_->{test}), $_->{copies}, rate($_->{rate}, $_->{unit}),
        ($_->{plus_minus} || 0) > 1 ? q{?} : percent($_->{plus_minus}), percent($_->{spread})
        for @{ $spread->{rows} };
    $text .= "\n"
        . paragraphs(
        map { sprintf DIFFER, copies($_->{copies}), percent($_->{shared}), percent($_->{own}) }
            @{ $spread->{groups} });
    $text .= sprintf "\nSmallest difference of one test that %s runs can show here:\n\n",
        $options{usual} ? 'usual (longer)' : 'such';
    $text .= sprintf RESOLVES, @{$_}
        for [ 'runs a side', SIDES ], map {
        [ copies($_->{copies}), map { percent($_) } @{ $_->{resolves} }{ +SIDES } ]
        } @{ $spread->{groups} };
    return $text . $end;
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
