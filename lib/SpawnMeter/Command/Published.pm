# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Published;

# ./Run published: repeats all published experiments that fit this machine, and judges their
# claims on one page.
#
#   run(suite) -> exit status: 1 where an experiment could not be measured completely
#
# What is done stands in the file published.state of the results folder, so that a run that was
# interrupted is taken up again; it is removed when all are done.

use strict;
use warnings;
use List::Util                  qw(sum);
use SpawnMeter::Analysis::Sweep qw(analysis);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Command::Experiment        qw(facts_here why_not);
use SpawnMeter::Command::Output            qw(finish);
use SpawnMeter::Command::Output::Published qw(claims_of figures_of);
use SpawnMeter::Command::Output::Sweep     qw(plots_of);
use SpawnMeter::Command::Output::Text      qw(finish_text);
use SpawnMeter::Command::Published::Check  qw(check);
use SpawnMeter::Command::Published::State  qw(taken_up done forget);
use SpawnMeter::Command::Sweep;
use SpawnMeter::Measure::Session           qw(clock);
use SpawnMeter::Report::Published::Summary qw(summary);
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::DidYouMean qw(did_you_mean);
use SpawnMeter::Util::Format     qw(visible_lines);
use SpawnMeter::Util::Process;

use constant {
    QUICK        => 600,     # seconds of --quick
    RESERVE      => 0.93,    # share of the time that is planned; the rest is for starts and pages
    LEAST        => 0.2,     # seconds of a cell
    PASS         => 0.25,    # seconds
    LEAST_PASSES => 6,       # of a cell
    AROUND       => 1.5,     # times the length of a pass, with everything
    NO_TIME      => 'the time of --max-total or --quick is over',
};

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    return check($suite, @names) if $suite->{option}{check};
    my @malformed = @names ? () : @{ SpawnMeter::Catalog::Published::problems($suite->{root}) };
    print {*STDERR} map { 'Run: ' . visible_lines($_->{why}) } @malformed;
    my @experiments = chosen($suite, @names);
    my $facts = facts_here($suite);
    my $state = taken_up($suite, $facts, map { $_->{name} } @experiments);
    my $plan = plan($suite, $state, $facts, @experiments);
    my (@entries, $signal);

    for my $experiment (@experiments) {
        my $entry = entry($suite, $experiment, $plan);
        push @entries, $entry;
        $signal = $entry->{signal};
        last if defined $signal;
    }
    return SpawnMeter::Util::Process::status_of_signal($signal) if defined $signal;
    my $status = page($suite, $state, @entries);
    return @malformed ? 1 : $status;
}

# Dies where one is unknown or malformed; without names all that are well-formed
sub chosen {
    my ($suite, @names) = @_;
    my $root = $suite->{root};
    return @{ SpawnMeter::Catalog::Published::list($root) } if !@names;
    my %seen;
    return map { known($root, $_) } grep { !$seen{$_}++ } @names;
}

sub known {
    my ($root, $name) = @_;
    my $experiment = SpawnMeter::Catalog::Published::named($root, $name);
    return $experiment if $experiment;
    my $all = SpawnMeter::Catalog::Published::names($root);
    die "unknown published experiment '$name'"
        . did_you_mean($name, $all)
        . " ('./Run list published' shows them)\n";
}

# ---- measuring ---------------------------------------------------------------------------

# { state, facts, began, most => seconds or undef, cells => { name => number of cells that are
# still to be measured } }
sub plan {
    my ($suite, $state, $facts, @experiments) = @_;
    my $option = $suite->{option};
    my %cells;
    for my $experiment (@experiments) {
        next if $state->{done}{ $experiment->{name} } || defined why_not($experiment, $facts);
        my ($cells) = SpawnMeter::Catalog::Published::cells(
            $experiment,
            $suite->{catalog}{tests},
            $facts->{cpus_usable} || 1
        );
        $cells{ $experiment->{name} } = @{$cells};
    }
    return {
        state => $state,
        facts => $facts,
        began => clock(),
        most  => $option->{'max-total'} || ($option->{quick} ? QUICK : undef),
        cells => \%cells,
    };
}

# What the page needs of an experiment: measured before, or now, or why not
sub entry {
    my ($suite, $experiment, $plan) = @_;
    my $name = $experiment->{name};
    my $why = why_not($experiment, $plan->{facts});
    return without($suite, $experiment, $plan, undef)
        if !grep { @{ $_->{measures} } } @{ $experiment->{parts} };
    my $stored = $plan->{state}{done}{$name};
    return judged_entry($suite, $experiment, SpawnMeter::Store::RunFile::load($stored))
        if defined $stored;
    return without($suite, $experiment, $plan, $why) if defined $why;
    return too_late($suite, $experiment, $plan) if left($plan) <= 0;
    my $own = delete $plan->{cells}{$name};
    my $seconds =
        defined $plan->{most} ? left($plan) / ($own + sum(0, values %{ $plan->{cells} })) : undef;
    print {*STDERR} "$name: $experiment->{title}\n" if !$suite->{option}{quiet};
    delete local $ENV{UB_OUTPUT_FILE_NAME};    # that is the name of the page
    my ($session, $run, $signal) =
        SpawnMeter::Command::Sweep::run_of(limited($suite, $seconds), $name, $experiment);
    my $status = finish({ %{$session}, no_report => 1 }, $run, undef, $signal);
    my $entry = judged_entry($suite, $experiment, $run);
    return { %{$entry}, signal => $signal, status => $status } if defined $signal;
    done($plan->{state}, $name, "$session->{results}{path}.json");
    return { %{$entry}, status => $status };
}

sub left {
    my ($plan) = @_;
    return 1 if !defined $plan->{most};
    return RESERVE * $plan->{most} - (clock() - $plan->{began});
}

# The suite with the options of one experiment, whose cells take so many seconds
sub limited {
    my ($suite, $seconds) = @_;
    my %option = %{ $suite->{option} };
    delete @option{qw(quick max-total names)};
    if (defined $seconds) {
        $seconds = LEAST if $seconds < LEAST;
        $option{'max-time'} = sprintf '%.2f', $seconds;
        my $slice = $seconds / LEAST_PASSES / AROUND;
        $option{slice} = sprintf '%.3f', $slice if $slice < PASS;
    }
    return { %{$suite}, option => \%option };
}

sub judged_entry {
    my ($suite, $experiment, $run) = @_;
    my $analysis = analysis($run);
    return {
        (map { $_ => $experiment->{$_} } qw(name title)),
        claims => claims_of($experiment, $run, $analysis->{points}),
        plots  => plots_of($suite, $run, figures_of($experiment, $run, $analysis)),
        why    => undef,
        status => $run->{complete} ? 0 : 1,
    };
}

sub without {
    my ($suite, $experiment, $plan, $why) = @_;
    my $no_run = { passes => [], system => $plan->{facts} };
    return {
        (map { $_ => $experiment->{$_} } qw(name title)),
        claims => claims_of($experiment, $no_run, {}),
        plots  => [],
        why    => $why,
        status => 0,
    };
}

# What the machine can measure, and the next ./Run published measures
sub too_late {
    my ($suite, $experiment, $plan) = @_;
    my $entry = without($suite, $experiment, $plan, NO_TIME);
    my @claims = map { { %{$_}, verdict => 'not measured' } } @{ $entry->{claims} };
    return { %{$entry}, claims => \@claims };
}

# ---- the page ------------------------------------------------------------------------------

sub page {
    my ($suite, $state, @entries) = @_;
    my @judged = grep { @{ $_->{claims} } } @entries;
    my @plots = map {
        my $entry = $_;
        map { { %{$_}, title => "$entry->{name}: $_->{title}" } } @{ $entry->{plots} }
    } @entries;
    my $text = q{-} x 72 . "\n" . summary(\@judged);
    my $status = finish_text($suite, $text, \@plots);
    my $unfinished = grep { defined $_->{why} && $_->{why} eq NO_TIME } @entries;
    if ($unfinished) {
        print {*STDERR}
            "Experiments that were not measured: $unfinished;",
            " the next ./Run published takes them up\n"
            if !$suite->{option}{quiet};
    } else {
        forget($state);
    }
    return $status || (grep { $_->{status} } @entries) ? 1 : 0;
}

1;
