# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::RunHead;

# What is known of a run before it is measured: the first entry of its journal.
#
#   head(session) -> run record without passes

use strict;
use warnings;
use Exporter 'import';
use POSIX                        ();
use SpawnMeter::Analysis::Record qw(run);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Build;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Clock  qw(wall_clock);
use SpawnMeter::Util::Format qw(copies);

our @EXPORT_OK = qw(head end_of);

sub head {
    my ($session) = @_;
    my $suite = $session->{suite};
    my @options = map { @{$_} } @{ $suite->{option} }{qw(pass_on target_arguments)};
    my %facts = (
        %{ $session->{facts}->facts },
        target_sha256 =>
            scalar SpawnMeter::Machine::Facts::hash_of("$suite->{binaries}/true-dynamic"),
    );
    return run(
        format => SpawnMeter::Store::RunFile::FORMAT(),
        schema => SpawnMeter::Store::RunFile::SCHEMA(),
        kind   => $session->{kind} || 'run',
        (map { $_ => $session->{$_} } grep { $session->{$_} } qw(sweep sides set_back notes)),
        suite      => $suite->{version},
        name       => $session->{results}{name},
        host       => (POSIX::uname())[1],
        command    => $suite->{command},
        label      => label($suite),
        protocol   => $session->{settings},
        options    => \@options,
        unscored   => changes_work(@options),
        with_tree  => defined $session->{tree} ? 1 : 0,
        system     => \%facts,
        build      => [ build_facts($session) ],
        categories => $suite->{catalog}{categories},
        tests      => [ map { test_of_head($_) } @{ $session->{tests} } ],
        started    => $session->{earlier} ? $session->{earlier}{started} : wall_clock(),
    );
}

# As characters, where it is UTF-8
sub label {
    my ($suite) = @_;
    my $label = $suite->{option}{label};
    utf8::decode($label) if defined $label;
    return $label;
}

sub test_of_head {
    my ($test) = @_;
    my ($name, $title) = @{$test}{qw(name title)};
    ($name, $title) = ($test->{series}) x 2 if exists $test->{series};
    return { name => $name, title => $title, category => $test->{category} };
}

# One of our own programs prints how all of them were built; only when symbols are bound may
# differ, since tests of the classic suite are linked as the compiler does it
sub build_facts {
    my ($session) = @_;
    my %seen;
    my @tests = grep { !$_->{tree} && !$seen{ $_->{program} }++ } @{ $session->{tests} };
    my ($first, @others) = @tests ? map { $_->{program} } @tests : 'fork';
    my $folder = $session->{suite}{binaries};
    my @facts = SpawnMeter::Measure::Build::facts("$folder/$first");
    my $bound = binding(@facts);
    my %otherwise;

    for my $program (defined $bound ? @others : ()) {
        my $its = binding(SpawnMeter::Measure::Build::facts("$folder/$program"));
        push @{ $otherwise{$its} }, $program if defined $its && $its ne $bound;
    }
    $facts[-1] .= " ($_: " . join(', ', sort @{ $otherwise{$_} }) . ')' for sort keys %otherwise;
    return @facts;
}

sub binding {
    my (@facts) = @_;
    return @facts && $facts[-1] =~ /symbols (bound [a-z ]+)\z/ ? $1 : undef;
}

# --count changes when a pass ends, not what the programs do
sub changes_work {
    my (@options) = @_;
    return (grep { !/^(?:--count|\d+)$/ } @options) ? 1 : 0;
}

# ---- the end of a run ----
#
# How a run ended.  Pure functions.
#
#   end_of([its passes], name of the signal that stopped it or undef, another
#       reason why it ended or undef, { copies, test } of all that was to be measured at least
#       once) -> { complete => 1 or 0, reason => why it is not complete,
#       or undef }

sub end_of {
    my ($passes, $stopped, $problem, @planned) = @_;
    my @passes = @{$passes};
    my @one_sided = one_sided(@passes);
    my @failed = grep { $_->{status} eq 'failed' } @passes;
    return { complete => 0, reason => join '; ', "Run was stopped by SIG$stopped", $problem || () }
        if defined $stopped;
    return { complete => 0, reason => $problem } if defined $problem;
    return { complete => 0, reason => scalar(@failed) . ' of the tests failed' } if @failed;
    return {
        complete => 0,
        reason   => 'nothing was measured: '
            . (@passes ? 'every test was skipped' : 'there was no time for it')
        }
        if !grep { $_->{status} eq 'ok' } @passes;
    return { complete => 0, reason => "measured on one side only: @one_sided" } if @one_sided;
    my @without = without_pass($passes, @planned);
    return { complete => 0, reason => 'there was no time for ' . join(', ', @without) }
        if @without;
    return { complete => 1, reason => undef };
}

sub without_pass {
    my ($passes, @planned) = @_;
    my %has = map { $_ => 1 } map { of_copies($_) } @{$passes};
    return grep { !$has{$_}++ } map { of_copies($_) } @planned;
}

sub of_copies {
    my ($of) = @_;
    return $of->{test} . ' with ' . copies($of->{copies});
}

# The tests that one side skipped and the other did not
sub one_sided {
    my (@passes) = @_;
    my (%skipped, %measured);
    for my $pass (grep { defined $_->{side} } @passes) {
        my $of = $pass->{status} eq 'ok' ? \%measured : \%skipped;
        $of->{"$pass->{copies} $pass->{test}"} = $pass->{test};
    }
    my %names = map { $measured{$_} => 1 } grep { $skipped{$_} } keys %measured;
    return sort keys %names;
}

1;
