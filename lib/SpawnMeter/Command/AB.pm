# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::AB;

# ./Run ab: measures two states of this machine, A and B, in the same rounds, and reports what
# differs.
#
#   run(suite) -> exit status; with --fail-if-slower 1 where a test of B is slower by at least
#       so much, and otherwise 3 where that is not known of one
#   report(suite, run of kind ab, its summary where it is known) -> exit status: prints it in the
#       form that the options ask for
#   status_of(limit like 3%, or undef; rows, whose name says what is slower) -> exit status of
#       --fail-if-slower: 1 slower, 3 cannot tell, 0 not slower
#   ab_of(suite, names of runs) -> the run where the only name is that of an A/B run; undef

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Pairs    qw(summary_of_ab);
use SpawnMeter::Command::Output    qw(finish print_report print_text write_or_print SILENT);
use SpawnMeter::Command::Selection qw(selected);
use SpawnMeter::Measure::Session   qw(alone block measure open_session planned);
use SpawnMeter::Measure::Sides     qw(add_builds sides pending_files);
use SpawnMeter::Report::Paired     ();
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(copies visible);
use SpawnMeter::Util::Shell  ();

our @EXPORT_OK = qw(ab_of status_of);

use constant UNKNOWN => 3;    # exit status

sub run {
    my ($suite) = @_;
    return set_machine_back($suite) if $suite->{option}{'set-back-now'};
    my $plan = opened($suite);
    my @blocks = map { block($plan, $_, @{ $plan->{sides} }) } @{ $plan->{copies} };
    my ($run, $signal) = measure($plan, @blocks);
    my $summary = eval { summary_of_ab($run) };                 # the run is stored in any case
    $plan->{summary} = $summary;
    my $status = finish($plan, $run, $signal);
    $status = 3 if $status == 1 && $suite->{option}{bisect};    # nothing is known of this commit
    my $slower = report($suite, $run, $summary);
    return $status || $slower if $run->{complete};
    print {*STDERR} visible("Run: incomplete: $run->{reason}"), "\n";
    return $status || $slower;
}

# Sets the machine back after a Run that was killed.
sub set_machine_back {
    my ($suite) = @_;
    alone($suite, 1);
    my ($here, $others) = pending_files($suite);
    my ($status, @did) = 0;
    for my $path (@{$here}) {
        my $command = (SpawnMeter::Util::Shell::pending($path) || next)->{command};
        my $why = SpawnMeter::Util::Shell::undo($path);
        push @did,
            defined $why
            ? "--set-back '$command': $why; this machine is NOT set back.  Where the command cannot"
            . " succeed, set it back by hand, then remove $path"
            : "This machine is set back: $command";
        $status = 1 if defined $why;
    }
    push @did,
        map { "Not run, as it is another machine's, or was set before a restart: $_" } @{$others};
    @did = 'Nothing is to be set back' if !@did;
    print_text(join q{}, map { visible($_) . "\n" } @did);
    return $status;
}

sub opened {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    my @sides = sides($option);
    my $selected = selected($suite, @names);
    my @tests = @{ $selected->{tests} };
    add_builds(\@sides, \@tests);

    # The programs of a tree are started by its own rules, on both sides alike.
    my @of_tree = map { $_->{name} } grep { $_->{tree} } @tests;
    die "ab: tests of a classic tree cannot have two sides: @of_tree; name others, or unset "
        . "UB_CLASSIC\n"
        if @of_tree;
    my %what = (planned($suite, $selected, paired => 1), kind => 'ab', sides => \@sides);
    $what{set_back} = $option->{'set-back'};
    $what{transition} = SpawnMeter::Measure::Sides->new($suite) if defined $what{set_back};
    return open_session($suite, %what, no_report => 1);
}

# Prints the report.  The stored one has a header, too.
sub report {
    my ($suite, $run, $summary) = @_;
    my ($to, $limit, $quiet) = @{ $suite->{option} }{qw(to fail-if-slower quiet)};
    my ($form) = grep { $suite->{option}{$_} } qw(markdown csv json);
    $summary ||= summary_of_ab($run);
    if (defined $form) {
        write_or_print($to, SpawnMeter::Report::Paired->can($form)->($summary, $run));
    } elsif (($quiet || 0) < SILENT) {
        my %text = SpawnMeter::Command::Output::texts($suite, $run, undef, $summary);
        print_report($suite, $text{q{}});
    }
    return status_of($limit, map { { %{$_}, name => 'B' } } @{ $summary->{rows} });
}

sub status_of {
    my ($limit, @rows) = @_;
    return 0 if !defined $limit;
    my $share = ($limit =~ s/%//r) / 100;
    my @slow =
        grep { $_->{verdict} eq 'slower' && ($_->{high} // $_->{ratio}) <= 1 - $share } @rows;
    for my $row (@slow) {
        my $name = defined $row->{name} ? visible($row->{name}) . ' is ' : q{};
        printf {*STDERR} "Run: %sslower by %.1f %%: %s, %s\n", $name, 100 * (1 - $row->{ratio}),
            visible($row->{test}), copies($row->{copies});
    }
    return 1 if @slow;
    @rows = grep { !$_->{unmeasured} } @rows;
    my @open =
        grep { $_->{verdict} eq 'busy' || !defined $_->{low} || $_->{low} <= 1 - $share } @rows;
    return 0 if !@open;
    printf {*STDERR} "Run: no test is called slower by %g %%, but %d of %d may be\n", 100 * $share,
        scalar @open, scalar @rows;
    return UNKNOWN;
}

# -> the A/B run that is compared alone: its own comparison pairs its passes
sub ab_of {
    my ($suite, @names) = @_;
    return if @names != 1 || $names[0] eq q{-};
    my @files = SpawnMeter::Store::Find::files($suite, $names[0]);
    return if @files != 1 || SpawnMeter::Store::Find::kind($files[0]) ne 'ab';
    return SpawnMeter::Store::RunFile::load($files[0]);
}

1;
