# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::AB;

# ./Run ab: measures two states of this machine, A and B, in the same rounds, and reports what
# differs.
#
#   run(suite) -> exit status; with --fail-if-slower 1 where a test of B is slower by at least
#       so much, and otherwise 3 where that is not known of one

use strict;
use warnings;
use SpawnMeter::Analysis::AB       qw(summary);
use SpawnMeter::Command::Output    qw(finish print_report print_text);
use SpawnMeter::Command::Selection qw(selected);
use SpawnMeter::Measure::Session   qw(open_session measure block placed_cpus);
use SpawnMeter::Measure::Settings  qw(settings_of copies_of new_seed);
use SpawnMeter::Measure::Sides     qw(sides check_programs);
use SpawnMeter::Report::AB;
use SpawnMeter::Util::Format qw(copies);

use constant UNKNOWN => 3;    # exit status

sub run {
    my ($suite) = @_;
    my $session = opened($suite);
    my @blocks = map { block($session, $_, @{ $session->{sides} }) } @{ $session->{copies} };
    my ($run, $signal) = measure($session, @blocks);
    my $status = finish($session, $run, undef, $signal);
    print_in_form($suite, $run) if !$suite->{option}{quiet};
    return $status || status_of($suite->{option}{'fail-if-slower'}, $run);
}

sub opened {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    my @sides = sides($option);
    my $selected = selected($suite, @names);
    check_programs(\@sides, $selected->{tests});
    my $usable = placed_cpus($option->{pin});
    my @copies = copies_of($option, $usable->{count});
    my $settings = settings_of(
        $option,
        cells  => @copies * @{ $selected->{tests} },
        cpus   => $usable->{cpus},
        seed   => new_seed(time, $$),
        paired => 1,
    );
    return open_session(
        $suite, %{$selected},
        kind      => 'ab',
        sides     => \@sides,
        no_report => 1,
        settings  => $settings,
        copies    => \@copies,
        usable    => $usable->{count},
        cpus      => $usable->{cpus},
    );
}

# As text, below the header, which only the stored report has otherwise
sub print_in_form {
    my ($suite, $run) = @_;
    my ($form) = grep { $suite->{option}{$_} } qw(markdown csv json);
    return print_text(SpawnMeter::Report::AB::render($form, summary($run), $run))
        if defined $form;
    my %text = SpawnMeter::Command::Output::texts($suite, $run);
    return print_report($suite, $text{q{}});
}

# ($limit: like 3%)
sub status_of {
    my ($limit, $run) = @_;
    return 0 if !defined $limit;
    my $share = ($limit =~ s/%//r) / 100;
    my @rows = @{ summary($run)->{rows} };
    my @slow = grep { $_->{verdict} eq 'slower' && $_->{ratio} <= 1 - $share } @rows;
    for my $row (@slow) {
        printf {*STDERR} "Run: B is slower by %.1f %%: %s, %s\n", 100 * (1 - $row->{ratio}),
            $row->{test}, copies($row->{copies});
    }
    return 1 if @slow;
    @rows = grep { !$_->{unmeasured} } @rows;
    my @open = grep { !defined $_->{low} || $_->{low} <= 1 - $share } @rows;
    return 0 if !@open;
    printf {*STDERR} "Run: no test of B is slower by %s for certain, but %d of %d may be\n",
        $limit, scalar @open, scalar @rows;
    return UNKNOWN;
}

1;
