# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Preparation;

# What must be there before anything is measured: the programs of the tests, the target that the
# user names, and free CPUs.
#
#   prepare(session of SpawnMeter::Measure::Session): builds the programs that are missing or
#       old.  Dies with a message where that fails or --exec names nothing that can be run; a
#       test of a classic tree that cannot be built is marked to be skipped.  Says so where other
#       processes use the CPUs

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max);
use SpawnMeter::Analysis::Disturbance qw(crowded);
use SpawnMeter::Machine::State        qw(busy);
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::UnixBenchTree;

our @EXPORT_OK = qw(prepare);

# The targets that make builds where the system has them
use constant TARGETS => qw(true-dynamic true-static true-nolibc true-now true-lazy sh-dynamic
    sh-static write-output start-dynamic start-static start-nolibc start-now start-lazy);

sub prepare {
    my ($session) = @_;
    my $suite = $session->{suite};
    my @own = map { $_->{program} } grep { !$_->{tree} } @{ $session->{tests} };

    my $has = sub { return -x "$suite->{binaries}/$_[0]" };

    # Another folder need not have the targets of --phases, and the portable bundle has one
    # target alone
    my $is_own = defined $suite->{work};
    my @targets = $has->('true-static') && !$is_own ? () : ('true-dynamic');
    push @targets, 'start-dynamic' if $is_own;
    SpawnMeter::Measure::Build::build(
        $suite,
        [ @own, @targets ],
        sub { $session->{progress}->say_plain(@_) }
    );
    build_tree($session) if defined $session->{tree};
    check_target($suite);
    say_busy($session);
    return;
}

# As src/harness/target.c finds it: a name without a slash is a program in the folder of
# programs.  What is only there on some systems (true-static) is left to the tests, which
# skip it.
sub check_target {
    my ($suite) = @_;
    my $named = $suite->{option}{exec};
    return if !defined $named;
    my $path = $named =~ m{/} ? $named : "$suite->{binaries}/$named";
    return if -f $path && -x _;
    return if $named !~ m{/} && grep { $_ eq $named } TARGETS;
    my $why = !-e $path ? 'no such file' : !-f _ ? 'not a file' : 'it cannot be executed';
    die "--exec $named: $why\n";
}

# Which results are those of a busy machine is known after the run: this is said before
sub say_busy {
    my ($session) = @_;
    my ($facts, $progress) = @{$session}{qw(facts progress)};
    return if $session->{suite}{option}{quiet};
    my $other = busy($facts->{root});
    return if !defined $other;
    return if !crowded($other, max(@{ $session->{copies} || [1] }), scalar $facts->online_cpus);
    $progress->say_plain(
        sprintf "Other processes use %.1f CPUs: stop them, or the results are "
            . "those of a busy machine.\n",
        $other
    );
    return;
}

# A test of the classic tree that cannot be built is skipped; the others run
sub build_tree {
    my ($session) = @_;
    my @tests = grep { $_->{tree} } @{ $session->{tests} };
    my $why = SpawnMeter::Measure::UnixBenchTree::build($session->{tree}, \@tests, $session->{log});
    my @options = @{ $session->{suite}{option}{pass_on} };
    for my $test (@tests) {
        $test->{skip} =
            @options ? "a classic tree's test takes no @options" : $why->{ $test->{name} };
    }
    return;
}

1;
