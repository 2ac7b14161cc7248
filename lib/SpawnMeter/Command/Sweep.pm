# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Sweep;

# ./Run sweep NAME: one thing varied, or a published experiment.
#
#   run(suite) -> exit status
#   measured(suite, name, no_report => true or nothing) -> exit status: the same, for
#       other verbs

use strict;
use warnings;
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Command::Output qw(finish);
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::ProcessLimits;
use SpawnMeter::Measure::Session  qw(open_session measure usable_cpus);
use SpawnMeter::Measure::Settings qw(settings_of new_seed);

use constant {
    CELL_TIME      => 3,      # seconds of a cell
    PUBLISHED_TIME => 600,    # seconds at most in which a published experiment's passes fit
};

my $LIMITS = 'linux-windows-2012';    # the experiment that has --limits

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, $name, @more) = @{ $option->{names} };
    my @all = map { $_->{name} } @{ SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list}) };
    die "sweep: name one of: @all\n" if !defined $name || @more;
    die "sweep: only $LIMITS has --limits\n" if $option->{limits} && $name ne $LIMITS;
    die "sweep: -c has no meaning here: ./Run sweep copies varies them\n" if $option->{copies};
    return measured($suite, $name);
}

sub measured {
    my ($suite, $name, %with) = @_;
    my $option = $suite->{option};
    my $experiment = SpawnMeter::Catalog::Published::named($name);
    check_options($option, $name, $experiment);
    my $usable = usable_cpus();
    my ($cells, $head) = cells_of($suite, $name, $experiment, $usable->{count});
    my %seen;
    my $session = open_session(
        $suite,
        tests    => [ grep { !$seen{ $_->{series} }++ } @{$cells} ],
        settings => settings($option, scalar @{$cells}, $experiment),
        cpus     => $usable->{cpus},
        kind     => 'sweep',
        sweep    => $head,
        %with,
    );
    SpawnMeter::Measure::Build::make_static($suite->{root}) if grep { $_->{static} } @{$cells};
    $session->{notes} = [ SpawnMeter::Measure::ProcessLimits::text($suite) ] if $option->{limits};
    my ($run, $signal) =
        measure($session, { copies => 1, cells => $cells, title => $head->{title} });
    return finish($session, $run, undef, $signal);
}

sub check_options {
    my ($option, $name, $experiment) = @_;
    my @refused = grep { /^--/ } @{ $option->{pass_on} };
    @refused = grep { $_ ne '--count' } @refused if $experiment && $experiment->{takes_count};
    die "sweep $name: $refused[0] has no meaning here\n" if @refused;
    return;
}

sub cells_of {
    my ($suite, $name, $experiment, $cpus) = @_;
    my $tests = $suite->{catalog}{tests};
    return SpawnMeter::Catalog::Published::cells($experiment, $tests) if $experiment;
    my @published = map { $_->{name} } @{ SpawnMeter::Catalog::Published::list() };
    my $sweep =
        SpawnMeter::Catalog::Sweeps::named(SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list}),
        $name, @published);
    return SpawnMeter::Catalog::Sweeps::cells($sweep, $tests, $cpus);
}

# A published experiment makes a given number of passes, whatever they differ by.  All
# cells are pinned, unless a cell says otherwise.
sub settings {
    my ($option, $cells, $experiment) = @_;
    my %with = (%{$option}, pin => 1);
    my $fixed;
    if ($experiment) {
        $with{iterations} = $experiment->{passes} if !defined $with{iterations};
        $fixed = $with{iterations} + 0;
    }
    $with{'max-time'} = $experiment ? PUBLISHED_TIME : CELL_TIME if !defined $with{'max-time'};
    return settings_of(
        \%with,
        cells => $cells,
        seed  => new_seed(time, $$),
        sweep => 1,
        fixed => $fixed
    );
}

1;
