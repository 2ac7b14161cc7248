# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Published;

# ./Run published: which claims of the published experiments hold on this machine, on one page;
# with names, their figures as well.  Stored runs of this machine are used again, so the next one
# takes up where one was interrupted.
#
#   run(suite) -> exit status: 1 where an experiment could not be measured completely

use strict;
use warnings;
use List::Util                         qw(sum);
use SpawnMeter::Analysis::Points       qw(found judged unmet);
use SpawnMeter::Catalog::Experiments   ();
use SpawnMeter::Command::Output        qw(finish finish_text);
use SpawnMeter::Command::Output::Sweep qw(without_passes);
use SpawnMeter::Command::Sweep         ();
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Escape   qw(html);
use SpawnMeter::Report::Plot     qw(swept);
use SpawnMeter::Report::Progress qw(minutes);
use SpawnMeter::Report::Sweep    qw(published claims counts);
use SpawnMeter::Util::Format     qw(visible visible_lines);

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my @experiments = map { known($suite->{root}, $_) } @names;
    @experiments = SpawnMeter::Catalog::Experiments::list($suite->{root}) if !@names;
    my $facts = SpawnMeter::Machine::Facts::of($suite)->facts;
    my @wanted = $suite->{option}{again} ? () : map { $_->{name} } @experiments;
    my $stored = SpawnMeter::Command::Sweep::stored($suite, $facts, @wanted);
    my ($status, $page, $pictures, @claims) = (0, q{}, q{});
    announce($suite, grep { is_open($_, $facts) && !$stored->{ $_->{name} } } @experiments);

    for my $experiment (@experiments) {
        my ($run, $failed) = run_of({ %{$suite}, experiment => $experiment }, $facts, $stored);
        return $failed if $failed > 128;    # a signal
        $status ||= $failed;
        next if !$run;
        my $found = found($experiment, $run);
        my $own = judged($experiment, $found, $facts);
        push @claims, @{$own};
        $pictures .= '<h2>'
            . html($experiment->{title})
            . "</h2>\n"
            . SpawnMeter::Report::Plot::claims($own);
        $pictures .= swept(@{ $found->{sides} }) if @names;
        $page     .= @names ? published($experiment, $found, $own) : claims($experiment, $own);
    }
    return finish_text($suite, $page . counts(@claims), $pictures, counts(@claims) =~ s/\n+/ /gr)
        || $status;
}

sub known {
    my ($root, $name) = @_;
    return SpawnMeter::Catalog::Experiments::named($root, $name)
        || die "unknown published experiment '$name'; ./Run list sweeps shows them\n";
}

# The time of all; each says its own when it begins
sub announce {
    my ($suite, @experiments) = @_;
    return if @experiments < 2 || $suite->{option}{quiet};
    my $seconds = sum(
        map {
            my $own = { %{$suite}, experiment => $_ };
            SpawnMeter::Command::Sweep::seconds_of($own, $_->{name}, $_)
        } @experiments
    );
    print {*STDERR} 'Measuring ', scalar @experiments, ' experiments takes about ',
        minutes($seconds), ".\n";
    return;
}

# Whether there is anything to measure, here
sub is_open {
    my ($experiment, $facts) = @_;
    return
           !$experiment->{problem}
        && @{ $experiment->{parts} }
        && !defined unmet($experiment->{needs}, $facts);
}

# -> (run that is stored, or measured now, or without passes, or undef; exit status)
sub run_of {
    my ($suite, $facts, $stored) = @_;
    my $experiment = $suite->{experiment};
    print {*STDERR} map { 'Run: ' . visible_lines($_) } $experiment->{problem} || ();
    return (undef, 1) if $experiment->{problem};
    return (without_passes($suite, $experiment, $facts), 0) if !is_open($experiment, $facts);
    my $before = $stored->{ $experiment->{name} };
    print {*STDERR} "$experiment->{name}: stored as ", visible($before->{name}), "; see --again\n"
        if $before && !$suite->{option}{quiet};
    return ($before, 0) if $before;
    delete local $ENV{UB_OUTPUT_FILE_NAME};    # that is the name of the page
    my ($session, $run, $signal) =
        SpawnMeter::Command::Sweep::run_of($suite, $experiment->{name}, $experiment);
    return ($run, finish({ %{$session}, no_report => 1 }, $run, undef, $signal));
}

1;
