# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::UnixBenchTree;

# The tests that are a classic UnixBench tree's own (--classic-tree): Dhrystone,
# Whetstone and others are their authors' programs and are run from there.
#
#   folder(option --classic-tree or UB_CLASSIC) -> the folder that holds the tree's
#       pgms and testdir, or undef where none is named; dies if it is no such tree
#   without(tests, names asked for) -> the tests that need no tree; dies where none
#       is left, or where one that needs a tree was asked for by its name
#   build(folder, tests, log) -> { test => reason why it cannot run }
#   spec(folder, test, seconds) -> what SpawnMeter::Measure::Runner::run wants of it

use strict;
use warnings;
use Cwd ();
use SpawnMeter::Measure::Build;
use SpawnMeter::Util::Process;

sub folder {
    my ($named) = @_;
    return if !defined $named || !length $named;
    my $path = Cwd::abs_path($named);
    for my $tree (grep { defined } $path, defined $path ? "$path/UnixBench" : undef) {
        return $tree
            if -d "$tree/pgms" && -d "$tree/testdir" && -f "$tree/Makefile" && -f "$tree/Run";
    }
    die
        "--classic-tree: '$named' is no UnixBench tree (a folder with Run, Makefile, pgms and testdir)\n";
}

sub without {
    my ($tests, @names) = @_;
    my %named = map { $_ => 1 } @names;
    my @needy = grep { $_->{tree} } @{$tests};
    my @own = grep { !$_->{tree} } @{$tests};
    my @asked = @own ? grep { $named{ $_->{name} } } @needy : @needy;
    die join(q{, }, map { $_->{name} } @asked)
        . ': only a UnixBench tree has '
        . (@asked == 1 ? 'it' : 'them')
        . "; --classic-tree DIR or UB_CLASSIC names one\n"
        if @asked;
    return @own;
}

# The programs come by the tree's own Makefile.  What make says goes to the log.
sub build {
    my ($tree, $tests, $log) = @_;
    my @missing = grep { !-x "$tree/pgms/$_->{program}" } @{$tests};
    return {} if !@missing;
    my $make = SpawnMeter::Measure::Build::gnu_make();
    my %reason;
    my $words = 'GNU make is not installed';
    if ($make) {
        local %ENV = %ENV;
        delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
        (my $status, $words) = SpawnMeter::Util::Process::output($make, '-C', $tree);
        syswrite $log, "## make -C $tree: status $status\n$words\n" if $log;
    }
    my ($first) = $words =~ /^([^\n]*\berror\b[^\n]*)/mi;
    for my $test (grep { !-x "$tree/pgms/$_->{program}" } @missing) {
        $reason{ $test->{name} } = 'the classic tree does not build it'
            . (defined $first ? ": $first" : ' (the log has what make said)');
    }
    return \%reason;
}

# These programs know whole seconds only, and no gate
sub spec {
    my ($tree, $test, $seconds) = @_;
    my $whole = int($seconds + 0.999) || 1;
    return {
        program     => "$tree/pgms/$test->{program}",
        arguments   => [ map { $_ eq 'SECONDS' ? $whole : $_ } @{ $test->{options} } ],
        gate        => 0,
        pin         => undef,
        folder      => "$tree/testdir",
        environment =>
            { UB_BINDIR => "$tree/pgms", UB_TESTDIR => "$tree/testdir", %{ $test->{environment} } },
        input => defined $test->{input} ? "$tree/testdir/$test->{input}" : undef,
    };
}

1;
