# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Verdicts;

# A comparison as text of at most 72 columns, in ASCII: it is pasted into mails.
#
#   render(comparison) -> a sentence for each pair, a table of each, what the runs are, and how
#       they differ.  More than three runs are also ranked; from seven on that is all
#   markdown(comparison) -> the same as Markdown
#   brief(comparison, command line) -> three lines for a chat: the answer, the scores, the command
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
use SpawnMeter::Analysis::Fingerprint qw(names_machine);
use SpawnMeter::Analysis::Names       qw(cpu);
use SpawnMeter::Analysis::Ranking     qw(members);
use SpawnMeter::Analysis::Results     qw(by_copies);
use SpawnMeter::Report::Differences
    qw(cells_of_row words_of_difference words_of_copies rows_of_table
    rows_of_indexes short_names doubts differences loops called_and_file system_of);
use SpawnMeter::Report::Escape        qw(ascii in_markdown);
use SpawnMeter::Report::Ranked        qw(paragraphs);
use SpawnMeter::Report::Text::Quality qw(busy_words);
use SpawnMeter::Util::Format          qw(change copies duration folded interval percent rate);

use constant {
    WIDTH    => 72,
    DETAILED => 6,     # runs at most whose tests are printed, too
    KNOWN    => 3,     # tests that are not in all runs, of which each is named
    LEAST    => 11,    # columns of a name
    LINE     => "%-*s %10s %10s %7s %13s %s\n",
    NARROW   => "%-*s %7s %12s %s\n",             # without the values of both
};

my $LEGEND = '+ is better.  Rates of stored runs are trimmed means of the passes; reports have '
    . 'medians.  95 %: interval of delta; in 95 % of such comparisons all of them hold';

sub render {
    my ($comparison) = @_;
    return in_detail($comparison) if !$comparison->{ranking};
    my $text = SpawnMeter::Report::Ranked::text($comparison);
    return @{ $comparison->{runs} } > DETAILED ? $text : "$text\n" . in_detail($comparison);
}

sub markdown {
    my ($comparison) = @_;
    my ($old, @new) = short_names($comparison);
    my $ranked = $comparison->{ranking} ? SpawnMeter::Report::Ranked::markdown($comparison) : q{};
    return $ranked if @new >= DETAILED;
    my @pairs = @{ $comparison->{pairs} };
    my @sentences = map { in_markdown(sentence($pairs[$_], $new[$_], $old)) . "\n" } 0 .. $#new;
    return join "\n", grep({ length } $ranked), @sentences,
        SpawnMeter::Report::Differences::markdown($comparison);
}

sub brief {
    my ($comparison, $command) = @_;
    my ($old, @new) = map { $_->{called} } @{ $comparison->{runs} };
    my @pairs = @{ $comparison->{pairs} };
    my @lines = map { sentence($pairs[$_], $new[$_], $old) } 0 .. $#new;
    push @lines, join '; ',
        map { sprintf '%s %.1f -> %.1f (%s)', @{$_}{qw(name old new)}, words_of_copies($_) }
        rows_of_indexes($pairs[0])
        if @new == 1;
    $command = 'the same command without --brief' if length $command > WIDTH;
    return join q{}, map { ascii($_) . "\n" } grep({ length } @lines), "The whole: $command";
}

sub in_detail {
    my ($comparison) = @_;
    my ($old, @new) = my @names = short_names($comparison);
    my @pairs = @{ $comparison->{pairs} };
    my $text = paragraphs(map { sentence($pairs[$_], $new[$_], $old) } 0 .. $#new);
    my @runs = @{ $comparison->{runs} };
    $text .= described("  $names[$_]: ", $runs[$_]) for 0 .. $#runs;
    my $width = $comparison->{width} // WIDTH;
    $text .= table_of($width, $old, $new[$_], \&rate, rows_of_table($pairs[$_])) for 0 .. $#new;
    $text .= legend(@pairs) if grep { @{ $_->{rows} } } @pairs;
    my @blocked = @new == 1 ? @{ $pairs[0]{blocked} || [] } : ();
    $text .= "\nTime that the call blocks the parent (+ is longer):\n" if @blocked;
    $text .= table_of($width, $old, $new[0], \&duration, @blocked);
    $text .= "\n" . paragraphs(@new == 1 ? unclear(@pairs) : (), reasons($comparison))
        if grep { @{ $_->{rows} } } @pairs;

    for my $i (0 .. $#new) {
        $text .= "\n$new[$i] compared with $old:\n" if @new > 1;
        $text .= text_of_facts($comparison->{differences}[$i], $comparison->{verbose});
        my $lacking = lacking(map { members($_) } @runs[ 0, $i + 1 ]);
        my @levels = levels($pairs[$i], $comparison->{equals});
        $text .= paragraphs($lacking, @levels, loops($pairs[$i]));
    }
    return $text;
}

# "new is 10.0 % slower than old: 7 of 8 tests slower, 1 unclear."
sub sentence {
    my ($pair, $new, $old) = @_;
    my @rows = @{ $pair->{rows} };
    return "$old and $new have no result in common." if !@rows;
    my %number;
    $number{ $_->{verdict} }++ for @rows;
    return of_busy($pair, $new, $old) if $number{busy} && $pair->{is_busy};
    return
          "$old and $new: no verdict as a whole, since "
        . ($number{busy} == @rows ? 'all' : "$number{busy} of " . @rows)
        . ' results are busy.'
        if $number{busy};
    my @counts = map { "$number{$_} $_" } grep { $number{$_} } qw(slower faster same unclear);
    my %test = map { $_->{test} => 1 } @rows;
    my $tests = @rows == 1 ? '1 test' : @rows . (keys %test < @rows ? ' results' : ' tests');
    $counts[0] =~ s/(?= )/ of $tests/;
    return as_a_whole($pair, $new, $old) . ': ' . join(q{, }, @counts) . q{.};
}

# With --busy: the user knows that the runs were busy
sub of_busy {
    my ($pair, $new, $old) = @_;
    my @words =
        map { change($_->{ratio}) . ' (95 %: ' . interval($_) . '), ' . words_of_copies($_) }
        @{ $pair->{means} };
    return "Busy, without a verdict: $new compared with $old " . join('; ', @words) . q{.};
}

# By the interval of all tests together at each number of copies; a single test has its own
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

# Of machines with different numbers of CPUs it depends on the number of copies
sub by_how_much {
    my (@all) = @_;
    my ($by, @more) =
        map { sprintf '%.1f', $_ } sort { $a <=> $b } map { abs 100 * ($_->{ratio} - 1) } @all;
    return join ' and ',
        map { sprintf '%.1f %% (%s)', abs 100 * ($_->{ratio} - 1), words_of_copies($_) } @all
        if grep { $_->{copies} != ($_->{to_copies} // $_->{copies}) } @all;
    return @more && $more[-1] ne $by ? "$by to $more[-1] %" : "$by %";
}

# ---- what is compared, and how it differs ----

# A run: what it is, its date, what is known of it, and what makes its results doubtful
sub described {
    my ($mark, $run) = @_;
    my $head = $run->{head};
    my $cpus = ($head->{system} || {})->{cpus_online} || 1;
    my ($called, @known) = called_and_file($run);
    push @known, POSIX::strftime('%Y-%m-%d', gmtime $head->{started}) if $head->{started};
    my @machine = grep { defined && index($called, $_) < 0 } cpu($head);
    push @known,
        system_of({ %{$head}, system => { %{ $head->{system} || {} }, cpu_model => undef } });
    push @known, join ', ', @machine, $cpus > 1 ? "$cpus CPUs" : () if @machine || $cpus > 1;
    return folded($mark, ascii(join '; ', $called, @known, doubts($run)), WIDTH, q{ } x 4);
}

sub text_of_facts {
    my ($facts, $is_verbose) = @_;
    my @differ = differences($facts);
    my $text =
        @differ ? "Differences of machine, build or settings:\n" : paragraphs(identity($facts));
    $text .= folded(q{ } x 4, words_of_difference($_), WIDTH) for @differ;
    my @unknown = @{ $facts->{unknown} };
    my $unknown =
        $is_verbose || @unknown <= KNOWN
        ? join q{, }, @unknown
        : @unknown . ' facts (-v)';
    $text .= folded('Known for only one of the two: ', $unknown, WIDTH, q{ }) if @unknown;
    return $text;
}

# Two runs without a difference are not of one machine if they do not say of which
sub identity {
    my ($facts) = @_;
    return 'Same machine and build.' if names_machine($facts);
    my $compared = join q{, }, @{ $facts->{compared} };
    return 'Whether machine and build are the same is unknown: the runs '
        . (length $compared ? "name only $compared." : 'do not name them.');
}

# The tests that have no row
sub lacking {
    my (@runs) = @_;
    my %in;
    $in{$_}++ for map { keys %{ $_->{cells} } } @runs;
    my @lacking = grep { $in{$_} < @runs } sort keys %in or return q{};
    my %number;
    $number{ words_of_key($_) }++ for @lacking;
    my @words = map { "$number{$_} with $_" } sort keys %number;
    @words = map { /(\S+) (.*)/ ? "$2, " . words_of_key($_) : () } @lacking if @lacking <= KNOWN;
    return 'Not in all runs: ' . join('; ', @words) . q{.};
}

sub words_of_key {
    my ($key) = @_;
    return $key =~ /^(\d+)/a ? words_of_copies($1) : 'a copy on each CPU';
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
    my $f = $group->{f} or return "One run a side, and equal runs are taken to differ by $shared";
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
    my ($width, $old, $new, $words, @rows) = @_;
    my $name = max(LEAST, map { length $_->{test} } @rows);
    my $line = sub {
        my ($first, @cells) = @_;
        return sprintf LINE, $name, $first, @cells if $width >= LEAST + 49;
        return sprintf NARROW, LEAST, $first, @cells[ 2 .. 4 ];
    };
    my $text = q{};
    for (by_copies(@rows)) {
        my (undef, @own) = @{$_};
        my $copies = words_of_copies($own[0]);
        my $above = length $copies > $name ? "$copies\n" : q{};
        $text .= "\n$above" . $line->($above ? q{} : $copies, $old, $new, 'delta', '95 %', q{});
        $text .= $line->(ascii($_->{test}), cells_of_row($_, words => $words)) for @own;
    }
    return $text =~ s/ +$//gmr;
}

sub legend {
    my (@pairs) = @_;
    my $same =
        (grep { $_->{verdict} eq 'same' } map { @{ $_->{rows} } } @pairs)
        ? sprintf ' (same: within %g %%)', 100 * $pairs[0]{margin}
        : q{};
    my %partial = map { ("$_->{name}: partial, of @{ $_->{names} }." => 1) }
        grep { $_->{partial} } rows_of_indexes($pairs[0]);
    return "\n" . paragraphs("$LEGEND$same.", sort keys %partial);
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
    $advice = 'with "?" the passes are too few: take a longer --max-time'
        if grep { interval($_) eq q{?} } @rows;
    return sprintf('Unclear: %d of %d; %s.', scalar @rows, scalar @{ $pair->{rows} }, $advice),
        map {
        sprintf '%s, %s: %s beside the other tests.', $_->{test}, copies($_->{copies}),
            change($_->{beside})
        }
        grep { defined $_->{beside} } @rows;
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
    $text .= "\n";

    if (my $apart = $spread->{apart}) {
        $text .= paragraphs(
            sprintf 'The run %s is %.0f %% %s than the others.  Remove its files '
                . 'from results/ and repeat the command, which measures it again.',
            $apart->{name},
            100 * abs($apart->{ratio} - 1),
            $apart->{ratio} < 1 ? 'slower' : 'faster'
        );
    }
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
