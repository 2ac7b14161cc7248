# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Verdicts;

# A comparison as text of at most 72 columns, in ASCII: it is pasted into mails.
#
#   render(comparison) -> a sentence for each pair, a table of each, what the runs are, and how
#       they differ.  More than three runs are also ranked; from seven on that is all
#   group(spread of Analysis::Comparison, runs => [its runs], label => theirs or undef, usual =>
#       true where usual runs are longer, reason => why it is not complete, or undef) -> how much
#       equal runs differ, and in which facts
#
# What pages have, too: sentence(pair, new, old), identity(record of differences that has none),
# levels(pair, [names of equal runs]), reasons(comparison)

use strict;
use warnings;
use List::Util                        qw(max);
use POSIX                             ();
use SpawnMeter::Analysis::Comparison  qw(SIDES);
use SpawnMeter::Analysis::Fingerprint qw(names_machine values_of_facts);
use SpawnMeter::Analysis::Ranking     qw(members);
use SpawnMeter::Report::Differences
    qw(cells_of_row words_of_difference words_of_copies index_of is_disturbed rows_of_table
    name_and_label short_names doubts sentence_of_loops system_of);
use SpawnMeter::Report::Escape        qw(ascii);
use SpawnMeter::Report::Columns       qw(split_by_copies first_column);
use SpawnMeter::Report::Text::Quality qw(busy_words);
use SpawnMeter::Util::Format          qw(change copies duration folded percent rate shortened);

use constant {
    WIDTH    => 60,
    DETAILED => 6,                               # runs at most whose tests are printed, too
    LINE     => "%-11s %9s %9s %7s %12s %s\n",
};

sub render {
    my ($comparison) = @_;
    my $ranking = $comparison->{ranking} or return in_detail($comparison);
    my @runs = @{ $comparison->{runs} };
    my $text = ranked($ranking, @runs) . "\n";
    return $text . in_detail($comparison) if @runs <= DETAILED;
    $text .= described(q{  }, $_, system_of($_->{head})) for @runs;
    return $text . paragraphs(facts(@runs), 'Each test of each run: --csv or --json.');
}

sub paragraphs {
    return join q{}, map { folded(q{}, ascii($_), WIDTH) } grep { length } @_;
}

sub in_detail {
    my ($comparison) = @_;
    my ($old, @new) = my @names = short_names($comparison);
    my @pairs = @{ $comparison->{pairs} };
    my $text = paragraphs(map { sentence($pairs[$_], $new[$_], $old) } 0 .. $#new);
    $text .= table_of([ $old, $new[$_], 'delta', '95 %' ], [ rows_of_table($pairs[$_]) ])
        for 0 .. $#new;
    $text .= blocked(@{ $pairs[0]{blocked} || [] }, $old, @new) if @new == 1;
    $text .= "\n"
        . paragraphs(legend(@pairs), @new == 1 ? unclear(@pairs) : (), reasons($comparison))
        . "\n"
        if grep { @{ $_->{rows} } } @pairs;
    for my $run (@{ $comparison->{runs} }) {
        my ($build, $command, $more) = @{ $run->{head} }{qw(build command conditions)};
        my @known = (@{ $build || [] }, grep({ defined } $command), @{ $more || [] });
        $text .= described('  ' . shift(@names) . ': ', $run, system_of($run->{head}), @known);
    }

    for my $i (0 .. $#new) {
        $text .= @new == 1 ? "\n" : "\n$new[$i] compared with $old:\n";
        $text .= text_of_facts($comparison->{differences}[$i]);
        my $lacking = lacking(map { members($_) } @{ $comparison->{runs} }[ 0, $i + 1 ]);
        my @levels = levels($pairs[$i], $comparison->{equals});
        $text .= paragraphs($lacking, @levels, sentence_of_loops($pairs[$i]));
    }
    return $text;
}

sub blocked {
    my ($old, $new) = splice @_, -2;
    return q{} if !@_;
    return "\nTime that the call blocks the parent (+ is longer):\n"
        . table_of([ $old, $new, 'delta', '95 %' ], \@_, \&duration);
}

# "new is 10.0 % slower than old: 7 of 8 tests slower, 1 unclear."
sub sentence {
    my ($pair, $new, $old) = @_;
    my @rows = @{ $pair->{rows} };
    return "$old and $new have no result in common." if !@rows;
    my %number;
    $number{ $_->{verdict} }++ for @rows;
    return "$old and $new: no verdict as a whole, since $number{busy} of "
        . (@rows == 1 ? '1 result is busy.' : @rows . ' results are busy.')
        if $number{busy};
    my @counts = map { "$number{$_} $_" } grep { $number{$_} } qw(slower faster same unclear);
    my %test = map { $_->{test} => 1 } @rows;
    my $tests = @rows == 1 ? '1 test' : @rows . (keys %test < @rows ? ' results' : ' tests');
    $counts[0] =~ s/(?= )/ of $tests/;
    return as_a_whole($pair, $new, $old) . ': ' . join(q{, }, @counts) . q{.};
}

# By the interval of all tests together at each number of copies; a single test has its own
sub as_a_whole {
    my ($pair, $new, $old) = @_;
    my @rows = @{ $pair->{rows} };
    my @all = @rows == 1 ? @rows : @{ $pair->{means} };
    my ($by, @more) =
        map { sprintf '%.1f', $_ } sort { $a <=> $b } map { abs 100 * ($_->{ratio} - 1) } @all;
    $by .= " to $more[-1]" if @more && $more[-1] ne $by;
    return "$new is $by % slower than $old" if !grep { $_->{high} >= 1 } @all;
    return "$new is $by % faster than $old" if !grep { $_->{low} <= 1 } @all;
    return "$new differs from $old at some tests"
        if grep({ $_->{low} > 1 || $_->{high} < 1 } @all) || grep { $_->{verdict} =~ /er\z/ } @rows;
    return "$new differs from $old by less than these runs can show";
}

# ---- what is compared, and how it differs ----

# A run: what it is, its date, what is known of it, and what makes its results doubtful
sub described {
    my ($mark, $run, @known) = @_;
    my $started = $run->{head}{started};
    unshift @known, POSIX::strftime('%Y-%m-%d', gmtime $started) if $started;
    return folded($mark, ascii(join '; ', name_and_label($run), @known, doubts($run)), WIDTH,
        q{ } x 4);
}

sub text_of_facts {
    my ($facts) = @_;
    my $text = listed('Differences of machine, kernel, build or way of measuring:',
        $facts->{incomparable});
    $text .= listed('Other differences that can change results:', $facts->{notable});
    my $unknown = join q{, }, @{ $facts->{unknown} };
    $text .= folded('Known for only one of the two: ', $unknown, WIDTH, q{ }) if length $unknown;
    return length $text ? $text : paragraphs(identity($facts));
}

# Two runs without a difference are not of one machine if they do not say of which
sub identity {
    my ($facts) = @_;
    return 'Same machine and build.' if names_machine($facts);
    my $compared = join q{, }, @{ $facts->{compared} };
    return 'Whether machine and build are the same is unknown: the runs '
        . (length $compared ? "name only $compared." : 'do not name them.');
}

sub listed {
    my ($title, $differences) = @_;
    return q{} if !@{$differences};
    return join q{}, "$title\n",
        map { folded(q{ } x 4, words_of_difference($_), WIDTH) } @{$differences};
}

# The tests that have no row
sub lacking {
    my (@runs) = @_;
    my %in;
    $in{$_}++ for map { keys %{ $_->{cells} } } @runs;
    my @lacking = map { s/^(\d+) (.+)/"$2, " . words_of_copies($1)/er }
        grep { $in{$_} < @runs } sort keys %in;
    return @lacking ? 'Not in all runs: ' . join('; ', @lacking) . q{.} : q{};
}

# How much the runs themselves differ, which an interval cannot be below: at each number of copies
# by the set with the most tests
sub levels {
    my ($pair, $equals) = @_;
    my %group_of_copies = map { $_->{copies} => $_ }
        sort { $a->{tests} <=> $b->{tests} } reverse @{ $pair->{groups} };
    my @most = @group_of_copies{ sort { $a <=> $b } keys %group_of_copies } or return;
    my @words = map { level_of($_, $equals) } @most;
    my @of_copies =
        map { words_of_copies($most[$_]{copies}) . q{: } . lcfirst $words[$_] } 0 .. $#most;
    my $text = (grep { $_ ne $words[0] } @words) ? join('; ', @of_copies) : $words[0];
    return "$text: a test must differ by "
        . ("about " . least($pair)) =~ s/about >/more than /r
        . ' to be called faster or slower.  Several runs of each, in turn, resolve more.'
        if grep { !$_->{f} } @most;
    return "$text." if $most[0]{kappa} <= 1;
    my $order =
        defined $pair->{order}
        ? "They were not measured in turn ($pair->{order})"
        : 'Their order is unknown, and taken to be one group after the other';
    return
        sprintf '%s.  %s: in turn the part that tests share would be narrower by a factor of '
        . '%.1f.', $text, $order, sqrt $most[0]{kappa};
}

sub level_of {
    my ($group, $equals) = @_;
    my ($shared, $own) = map { percent(exp(sqrt) - 1) } @{ $group->{level} };
    my $f = $group->{f} or return "One run a side, whose own level is taken to be $shared";
    my $what = $group->{paired} ? 'Pairs' : 'Runs';
    $f .= $f == 1 ? ' degree' : ' degrees';
    my $known = $group->{equals} ? ' with those of ' . join(' and ', @{$equals}) : q{};
    return "$what differ by $shared that all tests share and by $own that each has for itself "
        . "($f of freedom$known)";
}

# The smallest difference that a row shows: the median of the halves of their intervals
sub least {
    my ($pair) = @_;
    my @halves = sort { $a <=> $b } map { $_->{high} / $_->{ratio} } @{ $pair->{rows} };
    return join ' or ', map { change($_) } $halves[ @halves / 2 ], 1 / $halves[ @halves / 2 ];
}

# Why some rows have no verdict
sub reasons {
    my ($comparison) = @_;
    my %why = map { $_ => 1 }
        grep { defined } map { $_->{why} } map { @{ $_->{rows} } } @{ $comparison->{pairs} };
    return %why ? 'Busy: ' . join('; ', sort keys %why) . q{.} : q{};
}

# ---- the table of a pair ----

# words: sub (value, unit) -> text
sub table_of {
    my ($heads, $rows, $words) = @_;
    my $text = q{};
    for (split_by_copies(@{$rows})) {
        my ($copies, @own) = @{$_};
        $text .= join q{}, "\n", sprintf(LINE, words_of_copies($copies), @{$heads}, q{}),
            map { sprintf LINE, first_column(ascii($_->{test})), cells_of_row($_, words => $words) }
            @own;
    }
    return $text =~ s/ +$//gmr;
}

sub legend {
    my ($pair) = @_;
    return
          sprintf '+ is better.  Columns: trimmed geometric means of the passes (of posts their '
        . 'rates); delta: of these, with its 95 %% interval.  All intervals of the tests hold '
        . 'together, and verdicts are read off them (same: within %g %%).', 100 * $pair->{margin};
}

# What would make unclear rows clear, and what they show beside the other tests
sub unclear {
    my ($pair) = @_;
    my @rows = grep { $_->{verdict} eq 'unclear' } @{ $pair->{rows} } or return;
    my $within = sprintf '%g %%', 100 * $pair->{margin};
    my @needed = grep { defined } map { $_->{needed} } @rows;
    my $advice = "more runs would not resolve $within here: ./Run ab does, or a quieter machine";
    $advice = max(@needed) . " runs a side, measured in turn, would resolve $within"
        if @needed == @rows;
    $advice = 'posts have no samples: only several of each state would tell more'
        if @needed == @rows && !max(@needed);
    return sprintf('Unclear: %d of %d; %s.', scalar @rows, scalar @{ $pair->{rows} }, $advice),
        map {
        sprintf '%s, %s: %s beside the other tests.', $_->{test}, copies($_->{copies}),
            change($_->{beside})
        }
        grep { defined $_->{beside} } @rows;
}

# ---- runs, ranked ----

use constant {
    NAME => 22,
    LONG => 1e4,                                # a score whose interval has no decimals
    RANK => "%4s %-22s%1s%8s %-15s %6s %s\n",
};

my $RANKS =
      'score: the index score, with the interval of the passes of the run; of a group (n) the '
    . 'geometric mean of its n runs, with the interval over the runs, by what the runs of one '
    . 'group differ by in this table.  ratio: the geometric mean of all tests in common with that '
    . 'run.  Where intervals overlap the order is uncertain.  *: some results are DISTURBED.';

# For each number of copies and index the runs, the best first, with the index score and the
# ratio to the first one, each with its interval
sub ranked {
    my ($tables, @runs) = @_;
    my @members = map { members($_) } @runs;
    my $of = @members > @runs ? @runs . ' groups, ' : q{};
    my $text = paragraphs("Ranking of $of" . @members . " runs.  ratio: to $runs[0]{name}");
    for my $table (@{$tables}) {
        my @heads = defined $table->{tests} ? ('score', '95 %') : (q{}, q{});
        $text .= "\n" . paragraphs(words_of_copies($table->{copies}) . ": " . index_of($table));
        $text .= sprintf RANK, q{}, 'run', q{}, @heads, 'ratio', '95 %';
        my $rank = 0;
        $text .= sprintf RANK, ++$rank, name_of($runs[ $_->{run} ], $_->{members}),
            range($_->{score}, 1, 1), range($_->{ratio}, 3, 2)
            for @{ $table->{rows} };
    }
    return $text =~ s/ +$//gmr . "\n" . paragraphs($RANKS);
}

# -> (name with the number of its runs in the table, mark)
sub name_of {
    my ($run, $here) = @_;
    my $all = members($run);
    my $runs = !$run->{members} ? q{} : $here == $all ? " ($all)" : " ($here of $all)";
    my $name = shortened(ascii($run->{name}), NAME - length $runs) . $runs;
    return ($name, is_disturbed($run) ? q{*} : q{});
}

# -> (value, interval)
sub range {
    my ($range, $decimals, $of_ends) = @_;
    return (q{-}, q{-}) if !$range;
    my ($value, @ends) = grep { defined } @{$range}{qw(value low high)};
    $of_ends = 0 if $value >= LONG;
    my $interval = join '..', map { sprintf "%.${of_ends}f", $_ } @ends;
    return (sprintf("%.${decimals}f", $value), @ends < 2 ? q{-} : $interval);
}

# The facts in which runs differ, each with the number of its values
sub facts {
    my (@runs) = @_;
    my @facts =
        map { "$_->{fact} (" . @{ $_->{values} } . ($_->{unknown} ? ', and unknown)' : ')') }
        grep { @{ $_->{values} } > 1 } @{ values_of_facts([ map { members($_) } @runs ]) };
    return q{} if !@facts;
    return 'Facts that differ, and how many values they have: ' . join(', ', @facts) . '.';
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
        percent($_->{plus_minus}), percent($_->{spread})
        for @{ $spread->{rows} };
    $text .= "\n";
    my @groups = @{ $spread->{groups} };

    for (@groups) {
        my @percent = map { percent($_) } @{$_}{qw(shared own)};
        $text .= paragraphs(sprintf DIFFER, copies($_->{copies}), @percent);
    }
    $text .= sprintf "\nSmallest difference of one test that %s runs can show here:\n\n",
        $options{usual} ? 'usual (longer)' : 'such';
    my @shown =
        map { [ copies($_->{copies}), map { percent($_) } @{ $_->{resolves} }{ +SIDES } ] } @groups;
    $text .= sprintf RESOLVES, @{$_} for [ 'runs a side', SIDES ], @shown;
    return $text . $end;
}

# That it is incomplete or busy, and in what its runs differ
sub below_group {
    my (%options) = @_;
    my $end = defined $options{reason} ? paragraphs("INCOMPLETE: $options{reason}") : q{};
    my $group = { members => $options{runs} };
    my $busy = busy_words('results', map { values %{ $_->{cells} } } members($group));
    $end .= paragraphs("BUSY: $busy.  Measure again on a quiet machine.") if length $busy;
    my $facts = SpawnMeter::Analysis::Fingerprint::differing_facts($group, $group);
    $end .= text_of_facts($facts) if grep { @{ $facts->{$_} } } qw(incomparable notable);
    return length $end ? "\n$end" : q{};
}

1;
