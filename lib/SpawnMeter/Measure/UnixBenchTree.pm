# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::UnixBenchTree;

# The tests whose programs only a UnixBench tree has (--classic-tree): Dhrystone, Whetstone
# and others belong to their authors and are run from such a tree.
#
#   folder(argument of --classic-tree or UB_CLASSIC) -> the folder that holds the tree's pgms
#       and testdir, or undef where there is no argument; dies if it is not a UnixBench tree
#   without([tests], names on the command line) -> the tests that need no tree; dies where
#       none is left, or where one that needs a tree was named
#   build(folder, [tests], log handle) -> { test => reason why it cannot run }
#   spec(folder, test, seconds) -> the test's part of what SpawnMeter::Measure::Runner::run
#       takes

use strict;
use warnings;
use Cwd ();
use SpawnMeter::Measure::Build;
use SpawnMeter::Util::File qw(write_all);
use SpawnMeter::Util::Process;

sub folder {
    my ($named) = @_;
    return if !defined $named || !length $named;
    my $path = Cwd::abs_path($named);
    for my $tree (grep { defined } $path, defined $path ? "$path/UnixBench" : undef) {
        die "--classic-tree: '$named' is SpawnMeter itself; name the folder of a UnixBench tree\n"
            if -d "$tree/lib/SpawnMeter";
        return $tree
            if -d "$tree/pgms" && -d "$tree/testdir" && -f "$tree/Makefile" && -f "$tree/Run";
    }
    die "--classic-tree: '$named' is not a UnixBench tree"
        . " (a folder with Run, Makefile, pgms and testdir)\n";
}

sub without {
    my ($tests, @names) = @_;
    my %named = map { $_ => 1 } @names;
    my @in_tree = grep { $_->{tree} } @{$tests};
    my @own = grep { !$_->{tree} } @{$tests};
    my @wanted = map { $_->{name} } @own ? grep { $named{ $_->{name} } } @in_tree : @in_tree;
    die join(q{, }, @wanted)
        . ': only in a UnixBench tree; name one with --classic-tree DIR or UB_CLASSIC' . "\n"
        if @wanted;
    return @own;
}

# With the tree's own Makefile; make's output goes to the log
sub build {
    my ($tree, $tests, $log) = @_;
    my @missing = grep { !-x "$tree/pgms/$_->{program}" } @{$tests};
    return {} if !@missing;
    my $words = make($tree, $log);
    my $why =
        $words =~ /^([^\n]*\berror\b[^\n]*)/mi ? ": $1" : q{ (see the output of make in the log)};
    return {
        map  { $_->{name} => "the classic tree does not build it$why" }
        grep { !-x "$tree/pgms/$_->{program}" } @missing
    };
}

# -> the output
sub make {
    my ($tree, $log) = @_;
    my $make = SpawnMeter::Measure::Build::gnu_make();
    return 'error: GNU make is not installed' if !$make;
    local %ENV = %ENV;
    delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
    my ($status, $words) = SpawnMeter::Util::Process::output($make, '-C', $tree);
    write_all($log, "## make -C $tree: status $status\n$words\n") if $log;
    return $words;
}

# These programs take whole seconds and have no gate
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
