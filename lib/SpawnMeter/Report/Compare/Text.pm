# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Text;

# render(comparison) -> text of at most 72 columns, in ASCII: it is pasted into mails.
# group(spread of Analysis::Comparison, label => that of its runs or undef, usual => true where
# usual runs are longer, reason => why it is not complete, or undef) -> text: how much equal runs
# differ
#
# First a sentence, then the table: with old, new, interval and verdict for two machines, with a
# column for each machine for more; then what each machine is, and how they differ.  More than
# three runs are ranked (Compare::Ranking); from seven on that is all.

use strict;
use warnings;
use List::Util                        qw(max);
use POSIX                             ();
use SpawnMeter::Analysis::Comparison  qw(SIDES);
use SpawnMeter::Analysis::Fingerprint qw(named);
use SpawnMeter::Report::Compare qw(change change_number difference head names quality reference);
use SpawnMeter::Report::Compare::Ranking;
use SpawnMeter::Report::Escape        qw(ascii);
use SpawnMeter::Report::Text::Quality qw(by_copies first_column);
use SpawnMeter::Util::Format          qw(copies duration folded percent rate);

use constant {
    WIDTH    => 60,    # columns of the tables
    DETAILED => 6,     # runs at most whose tests are printed, too
};

sub render {
    my ($comparison) = @_;
    my $ranking = $comparison->{ranking};
    return in_detail($comparison) if !$ranking;
    my $text = SpawnMeter::Report::Compare::Ranking::table($ranking, $comparison);
    return $text . "\n" . in_detail($comparison) if @{ $comparison->{machines} } <= DETAILED;
    $text .= "\n" . SpawnMeter::Report::Compare::Ranking::machines($ranking, $comparison);
    return $text . folded(q{}, 'Each test of each run: --csv, --json or --markdown.', WIDTH);
}

sub in_detail {
    my ($comparison) = @_;
    my @names = names($comparison);
    my $two = @names == 2;
    my @pairs = @{ $comparison->{pairs} };
    my $text = join q{},
        map { folded(q{}, sentence($pairs[$_], $names[ $_ + 1 ], $names[0]), WIDTH) } 0 .. $#pairs;
    $text .= $two ? table($comparison, @names) : columns($comparison, @names);
    $text .= reasons($comparison) . "\n";
    $text .= machine($names[$_], $comparison->{machines}[$_]) for 0 .. $#names;
    $text .= "\n";

    for my $i (0 .. $#pairs) {
        $text .= "$names[$i + 1] compared with $names[0]:\n" if !$two;
        $text .= differences($comparison->{differences}[$i]);
        $text .= folded(q{}, ascii($_), WIDTH)
            for levels($pairs[$i], $comparison->{equals}), reference($pairs[$i]);
    }
    return $text;
}

my @VERDICTS = qw(slower faster same unclear);

# "new is 10.0 % slower than old: 7 of 8 tests slower, 1 unclear."
sub sentence {
    my ($pair, $new, $old) = @_;
    my @rows = @{ $pair->{rows} };
    return "$old and $new have no result in common." if !@rows;
    my %number;
    $number{ $_->{verdict} }++ for @rows;
    return
          "$old and $new: no verdict, since $number{busy} of "
        . @rows
        . ' results were measured beside other work.'
        if $number{busy};
    my @counts = map { "$number{$_} $_" } grep { $number{$_} } @VERDICTS;
    my $tests = @rows == 1 ? 'test' : 'tests';
    $counts[0] =~ s/(?= )/ of @{[ scalar @rows ]} $tests/;
    return as_a_whole($pair, $new, $old) . ': ' . join(q{, }, @counts) . q{.};
}

# By the interval of all tests together, at each number of copies; of one test by its own
sub as_a_whole {
    my ($pair, $new, $old) = @_;
    my @all = @{ $pair->{means} };
    @all = @{ $pair->{rows} } if @{ $pair->{rows} } == 1;
    my @percent = sort { $a <=> $b } map { abs 100 * ($_->{ratio} - 1) } @all;
    my $by = sprintf '%.1f', $percent[0];
    my $most = sprintf '%.1f', $percent[-1];
    $by .= " to $most" if $most ne $by;
    return "$new is $by % slower than $old" if !grep { $_->{high} >= 1 } @all;
    return "$new is $by % faster than $old" if !grep { $_->{low} <= 1 } @all;
    my @apart = grep { $_->{verdict} =~ /er\z/ } @{ $pair->{rows} };
    return "$new differs from $old at some tests"
        if @apart && !grep { $_->{low} > 1 || $_->{high} < 1 } @all;
    return "$new differs from $old by less than these runs can show"
        if !grep { $_->{low} > 1 || $_->{high} < 1 } @all;
    return "$new differs from $old, and not by the same in all";
}

# Name and date, suite and system, build, command line, conditions; what is not known is
# left out
sub machine {
    my ($name, $machine) = @_;
    my $run = $machine->{run};
    my $mark = "  $name: ";
    my $label = defined $run->{label} ? " ($run->{label})" : q{};
    my $runs = $machine->{runs} ? ", $machine->{runs} runs" : q{};
    my $date = $run->{started} ? POSIX::strftime('; %Y-%m-%d', gmtime $run->{started}) : q{};
    my $text = folded($mark, ascii("$machine->{name}$label") . $runs . $date, WIDTH);
    my @lines = system_of($run);
    push @lines, join '; ', @{ $run->{build} } if @{ $run->{build} || [] };
    push @lines, $run->{command} if defined $run->{command};
    push @lines, @{ $run->{conditions} || [] };
    $text .= folded(q{ } x length $mark, ascii($_), WIDTH) for @lines;
    return $text . join q{}, map { folded(q{ } x length $mark, $_, WIDTH) } quality($machine);
}

sub system_of {
    my ($run) = @_;
    my $suite = $run->{suite} =~ /^\d/ ? "SpawnMeter $run->{suite}" : $run->{suite};
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release architecture)};
    my @known = grep { defined && length } $suite, $kernel, $system->{cpu_model};
    return join '; ', @known;
}

sub differences {
    my ($found) = @_;
    my $text = listed('Differences of machine, kernel, build or way of measuring:',
        $found->{incomparable});
    $text .= listed('Other differences that can change results:', $found->{notable});
    my @unknown = @{ $found->{unknown} };
    $text .= folded(q{}, 'Known for only one of the two: ' . join(q{, }, @unknown), WIDTH, q{ })
        if @unknown;
    return $text || agreement($found);
}

# Two runs without a difference are not of one machine if they do not say of which
sub agreement {
    my ($found) = @_;
    return "Same machine and build.\n" if named($found);
    my @compared = @{ $found->{compared} };
    my $which =
        @compared
        ? 'both runs name only ' . join(q{, }, @compared) . ', which are equal.'
        : 'neither run names them.';
    return folded(q{}, "Whether machine and build are the same is unknown: $which", WIDTH);
}

sub listed {
    my ($title, $differences) = @_;
    return q{} if !@{$differences};
    my $text = folded(q{}, $title, WIDTH);
    $text .= folded(q{ } x 4, difference($_), WIDTH) for @{$differences};
    return $text;
}

# How much the runs themselves differ, which an interval cannot be below
sub levels {
    my ($pair, $equals) = @_;
    my ($most) = sort { $b->{tests} <=> $a->{tests} } @{ $pair->{groups} };
    return if !$most;
    my ($shared, $own) = map { percent(exp(sqrt) - 1) } @{ $most->{level} };
    return
          "One run a side, whose own level is taken to be $shared: a test must differ by about "
        . least($pair)
        . ' to be called faster or slower.  Several runs of each, in turn, show less.'
        if !$most->{f};
    my @known = @{ $equals || [] } ? ' with those of ' . join(' and ', @{$equals}) : ();
    my $text = "Runs differ by $shared that all tests share and by $own that each has for itself "
        . "($most->{f} degrees of freedom@known).";
    return $text if $most->{kappa} <= 1;
    return
          $text
        . sprintf '  They were not measured in turn (%s): in turn the part that tests '
        . 'share would be narrower by a factor of %.1f.', $pair->{order}, sqrt $most->{kappa};
}

# The median of the halves
sub least {
    my ($pair) = @_;
    my @halves = sort { $a <=> $b } map { $_->{high} / $_->{ratio} - 1 } @{ $pair->{rows} };
    return percent($halves[ @halves / 2 ]);
}

# Why some rows have no verdict
sub reasons {
    my ($comparison) = @_;
    my %why;
    for my $row (map { @{ $_->{rows} } } @{ $comparison->{pairs} }) {
        $why{ $row->{why} } = 1 if defined $row->{why};
    }
    return %why ? folded(q{}, 'Busy: ' . join('; ', sort keys %why) . q{.}, WIDTH) : q{};
}

# ---- columns ----
#
# columns(comparison, names of its machines) -> text of at most 72 columns: the rate of the
# first machine and, in a column for each other one, its change; in blocks of as many
# columns as fit.

use constant COLUMNS => 5;    # of other machines in a block

my %MARK = (same => '~', unclear => '?', busy => '!');

sub columns {
    my ($comparison, $first, @others) = @_;
    my @columns = map { { name => $others[$_], pair => $comparison->{pairs}[$_] } } 0 .. $#others;
    my @cells = sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} }
        values %{ $comparison->{machines}[0]{cells} };
    my $text = q{};
    while (my @some = splice @columns, 0, COLUMNS) {
        for (by_copies(@cells)) {
            my ($copies, @own) = @{$_};
            $text .= "\n" . line(head($copies), $first, map { $_->{name} } @some);
            $text .= join q{}, map { row($_, @some) } @own;
            $text .= line('all tests', q{}, map { mean($_->{pair}, $copies) } @some);
        }
    }
    my $within = sprintf '%g %%', 100 * $comparison->{pairs}[0]{margin};
    my $words = "Differences from $first, + is better; ~ the same within $within, ? unclear.";
    return $text =~ s/ +$//gmr . "\n" . folded(q{}, $words, WIDTH) . busy($comparison);
}

sub busy {
    my ($comparison) = @_;
    my $busy = grep { $_->{verdict} eq 'busy' } map { @{ $_->{rows} } } @{ $comparison->{pairs} };
    return $busy ? "! one of the two runs is of a busy machine: no verdict.\n" : q{};
}

sub line {
    my ($name, @fields) = @_;
    return sprintf '%-11s' . ' %9s' x @fields . "\n", $name, @fields;
}

sub row {
    my ($cell, @columns) = @_;
    my $rate = defined $cell->{center} ? $cell->{center} : $cell->{rate};
    return line(
        first_column(ascii($cell->{test})),
        rate($rate, $cell->{unit}),
        map { change_of($_->{pair}, $cell) } @columns
    );
}

sub change_of {
    my ($pair, $cell) = @_;
    my ($row) =
        grep { $_->{copies} == $cell->{copies} && $_->{test} eq $cell->{test} } @{ $pair->{rows} };
    return '- ' if !$row;
    return change($row->{ratio}) . ($MARK{ $row->{verdict} } || q{ });
}

sub mean {
    my ($pair, $copies) = @_;
    my ($mean) = grep { $_->{copies} == $copies } @{ $pair->{means} };
    return $mean ? change($mean->{ratio}) . q{ } : '- ';
}

# ---- pair ----
#
# table(comparison, names of both) -> text of at most 72 columns: a line for each test with the old
# and the new rate, the change, its 95 % interval and the verdict; one for all tests together at
# each number of copies; then the same of the creating calls, and what would make unclear rows
# clear.

use constant {
    LINE     => "%-11s %9s %9s %7s %12s %s\n",
    INTERVAL => 12,
};

sub table {
    my ($comparison, @names) = @_;
    my $pair = $comparison->{pairs}[0];
    my ($rows, $means, $stalls) = @{$pair}{qw(rows means stalls)};
    return q{} if !@{$rows};
    my $text = join q{}, rows_of_two($rows, \&rate, $means, @names, 'delta', '95 %', q{}),
        rows_of_two($stalls || [], \&duration, [], @names, 'delta', '95 %', 'blocked'),
        costs(@{ $pair->{costs} || [] }), "\n", explanation($comparison, @names), unclear($pair);
    return $text =~ s/ +$//gmr;
}

sub rows_of_two {
    my ($rows, $in_words, $means, @heads) = @_;
    my $text = q{};
    for (by_copies(@{$rows})) {
        my ($copies, @own) = @{$_};
        $text .= "\n" . sprintf LINE, head($copies), @heads;
        for my $row (@own) {
            my @values = map { $in_words->($_, $row->{unit}) } @{$row}{qw(old new)};
            $text .= sprintf LINE, first_column(ascii($row->{test})), @values,
                change($row->{ratio}),
                interval($row), $row->{verdict};
        }
        $text .= sprintf LINE, "all $_->{tests}", q{}, q{}, change($_->{ratio}), interval($_), q{}
            for grep { $_->{copies} == $copies && $_->{tests} > 1 } @{$means};
    }
    return $text;
}

# Without decimals where it would be too long
sub interval {
    my ($of) = @_;
    my $text = join '..', map { change_number($of->{$_}) } qw(low high);
    return length $text <= INTERVAL ? $text : $text =~ s/[.]\d\b//gr;
}

sub explanation {
    my ($comparison, $old, $new) = @_;
    my $pair = $comparison->{pairs}[0];
    my @what = map { what_it_shows($_) } @{ $comparison->{machines} };
    my $text =
          "+ is better.  $old"
        . ($what[0] eq $what[1] ? q{, } : ": $what[0]; ")
        . "$new: $what[1].  delta: of these.  "
        . '95 %: its interval, in %; all intervals of the tests hold together, and verdicts are '
        . sprintf 'read off them (same: within %g %%).', 100 * $pair->{margin};
    my $stall = 'blocked: median time of the creating call in the parent; + is longer.';
    return join q{}, map { folded(q{}, $_, WIDTH) } $text, @{ $pair->{stalls} || [] } ? $stall : ();
}

# A post has no passes
sub what_it_shows {
    my ($machine) = @_;
    my $with_passes = grep { defined $_->{summary} } values %{ $machine->{cells} };
    return $with_passes ? 'trimmed geometric means of the passes' : 'the rates as posted';
}

# CPU time and page faults, where they differ
sub costs {
    my @rows = grep { $_->{verdict} =~ /^(?:less|more)\z/ } @_ or return q{};
    return join q{}, "\nOf a process (all: --json):\n", map {
        my $change = change($_->{ratio}) . ' (' . interval($_) . ')';
        folded('  ', named_test($_) . ": $_->{what} $change $_->{verdict}", WIDTH)
    } @rows;
}

sub named_test { my ($row) = @_; return ascii($row->{test}) . ', ' . copies($row->{copies}) }

# What would make unclear rows clear, and what they show beside the other tests
sub unclear {
    my ($pair) = @_;
    my @rows = grep { $_->{verdict} eq 'unclear' } @{ $pair->{rows} };
    return q{} if !@rows;
    my $within = sprintf '%g %%', 100 * $pair->{margin};
    my $runs = max(0, grep { defined } map { $_->{needed} } @rows);
    my $advice =
        (grep { !defined $_->{needed} } @rows)
        ? "more runs would not resolve $within here: ./Run ab does, or a quieter machine"
        : "$runs runs a side, measured in turn, would resolve $within";
    my @lines = sprintf 'Unclear: %d of %d; %s.', scalar @rows, scalar @{ $pair->{rows} }, $advice;
    push @lines, map { named_test($_) . ': ' . change($_->{beside}) . ' beside the other tests.' }
        grep { defined $_->{beside} } @rows;
    return join q{}, map { folded(q{}, $_, WIDTH) } @lines;
}

# ---- equal runs ----

use constant STARS => q{*} x WIDTH . "\n";

sub group {
    my ($spread, %with) = @_;
    my $end =
        defined $with{reason} ? STARS . ascii("INCOMPLETE: $with{reason}") . "\n" . STARS : q{};
    return <<'END' . $end if !@{ $spread->{rows} };
No test was measured in two runs with three passes that count: nothing to
compare.  Take a longer --max-time.
END
    my $label = defined $with{label} ? ', ' . ascii($with{label}) : q{};
    my $text = "\n" . folded(q{}, "The same tests in $spread->{runs} runs$label.", WIDTH) . "\n";
    $text .= rows_of_group(@{ $spread->{rows} }) . "\n";
    my $what = $with{usual} ? 'usual (longer)' : 'such';
    my $table = "\nSmallest difference of one test that $what runs can show here:\n\n";
    $table .= '  runs a side     ' . join(q{}, map { sprintf ' %7d', $_ } SIDES) . "\n";

    for my $group (@{ $spread->{groups} }) {
        my $copies = copies($group->{copies});
        $text .= folded(
            q{},
            sprintf(
                '%s: runs differ by %s that all tests share and by %s that each has for itself '
                    . '(standard deviations, beyond what their passes explain).',
                $copies, map { percent($_) } @{$group}{qw(shared own)}
            ),
            WIDTH
        );
        my @resolves = map { percent($_) } @{ $group->{resolves} }{ +SIDES };
        $table .= sprintf '  %-16s' . ' %7s' x @resolves . "\n", $copies, @resolves;
    }
    return $text . $table . $end;
}

sub rows_of_group {
    my $text = sprintf "  %-14s %6s %11s %7s %14s\n", qw(test copies rate +/-), 'runs differ by';
    $text .= sprintf "  %-14s %6d %11s %7s %14s\n", ascii($_->{test}), $_->{copies},
        rate($_->{rate}, $_->{unit}), percent($_->{plus_minus}), percent($_->{spread})
        for @_;
    return $text;
}

1;
