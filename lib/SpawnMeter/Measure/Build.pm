# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Build;

# Builds test programs that are missing or older than their sources, with make.
#
#   build(suite { root, binaries, work => folders; see SpawnMeter::App }, [names], sub
#       (text)): the sub is called with what the user should know.  Dies with make's output,
#       or with the names of the tools that are missing and how to install them
#   make(suite, all, static or large) -> (wait status, output): builds all programs, the statically
#       linked ones, or the large targets, where the suite can
#   is_built(root folder) -> true if the programs in it can be used, or if none can be built
#   facts(program) -> lines about compiler, flags and libc, as the program prints them with
#       --version; none if it does not

use strict;
use warnings;
use Cwd         ();
use File::Path  ();
use List::Util  qw(first max);
use Time::HiRes ();
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File    qw(writable write_all);
use SpawnMeter::Util::Process qw(output);
use SpawnMeter::Util::Programs;

sub build {
    my ($suite, $names, $report) = @_;
    my ($root, $folder, $work) = @{$suite}{qw(root binaries work)};
    my @missing = grep { !-x "$folder/$_" } @{$names};
    if (!defined $work) {
        my $place = defined $ENV{UB_BINDIR} ? "UB_BINDIR is $folder, which" : $folder;
        die "$place lacks ", join(', ', @missing), "\n" if @missing;
        return;
    }
    my @tools = tools_missing();
    my $is_ours = writable($work);
    return if !@missing && (@tools || !$is_ours);
    die 'the test programs must be built, and ', join(' and ', @tools),
        " must be installed; as root:\n    ", SpawnMeter::Util::Programs::install_line(q{}), "\n"
        if @tools;
    die "the test programs must be built, and $work cannot be written to; set XDG_CACHE_HOME to a ",
        "folder that can\n"
        if !$is_ours;
    $report->("building the test programs ...\n") if @missing;
    my ($status, $words) = make($suite, 'all');

    if ($status != 0) {    # as where a container forbids what make does
        die "the build failed:\n$words" if is_stale($root, $folder, @{$names});
        $words = "make failed; the test programs are newer than their sources and are used\n";
    }
    $report->($words) if length $words;
    return;
}

sub is_built {
    my ($root) = @_;
    my @names = map { m{([^/]+)[.]c\z} } glob "\Q$root\E/src/*.c";
    return tools_missing() || !is_stale($root, "$root/pgms", @names, 'trace', 'true-dynamic');
}

# True if one of the programs is missing, or older than one of its sources
sub is_stale {
    my ($root, $folder, @names) = @_;
    my $harness = newest("$root/VERSION", glob "\Q$root\E/src/harness/*.[ch]");
    for my $name (@names) {
        my $sources =
            $name =~ /^(true|start)-/
            ? newest("$root/src/targets/$1.c")
            : max($harness, newest("$root/src/$name.c", glob "\Q$root\E/src/$name/*"));
        return 1 if !-x "$folder/$name" || $sources > newest("$folder/$name");
    }
    return 0;
}

# When the newest of the files was changed, in seconds since 1970; 0 if there is none
sub newest {
    return max(0, map { (Time::HiRes::stat($_))[9] || 0 } @_);
}

sub tools_missing {
    my ($name) = split q{ }, $ENV{CC} || 'cc';
    my $compiler = SpawnMeter::Util::Programs::found($name);
    return ($compiler ? () : "a C compiler ($name)", gnu_make() ? () : 'GNU make');
}

# The make of the BSDs is called make, too
sub gnu_make {
    my @names = $^O =~ /bsd/ ? 'gmake' : qw(gmake make);
    return first { defined } map { scalar SpawnMeter::Util::Programs::found($_) } @names;
}

# The temporary files of compiler and linker, and the programs until they are whole, are in a folder
# that is removed with Run; another make does not use it.
sub make {
    my ($suite, $goal) = @_;
    my ($root, $folder, $work) = @{$suite}{qw(root binaries work)};
    return (0, q{}) if !defined $work;
    my @places = $work eq "$root/build" ? () : ("WORK=$work", "BINDIR=$folder");
    return (1,
              "make cannot build in $work, because of a blank or a special character in this name; "
            . "set XDG_CACHE_HOME to another folder\n")
        if grep { /[\s#\$:%]/ } @places;
    File::Path::make_path($work, { error => \my $ignored });
    my $scratch = writable($work) ? eval { SpawnMeter::Util::Cleanup::temporary($work) } : undef;
    local $ENV{TMPDIR} = "$scratch" if $scratch;
    push @places, 'UNFINISHED=' . ("$scratch" =~ m{([^/]+)\z})[0] if $scratch;
    return by_make('-s', '-C', $root, @places, $goal);
}

# Runs make, but not as a part of the make that may have started Run.
sub by_make {
    my (@arguments) = @_;
    delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS MAKEFILES GNUMAKEFLAGS)};
    return output(gnu_make() // 'make', @arguments);
}

sub facts {
    my ($program) = @_;
    return if !-x $program;
    my ($status, $words) = SpawnMeter::Util::Process::output_of(
        { line => [ $program, '--version' ], seconds => 5, marked => 1 });
    my (undef, @lines) = split /\n/, $words;
    return if $status != 0;
    return grep { /^[\x20-\x7e]+$/ && length() < 300 } @lines;
}

# ---- the tests whose programs only a UnixBench tree has (--classic-tree), as Dhrystone ----
#
#   tree_folder(argument of --classic-tree or UB_CLASSIC) -> the folder that holds the tree's pgms
#       and testdir, or undef where there is no argument; dies if it is not a UnixBench tree
#   build_tree(plan): marks the tests that cannot run to be skipped

my @IN_TREE = qw(Run Makefile pgms testdir);    # of SpawnMeter, too

sub tree_folder {
    my ($named) = @_;
    return if !defined $named || !length $named;
    for my $tree (map { ($_, "$_/UnixBench") } grep { defined } Cwd::abs_path($named)) {
        return $tree if !-d "$tree/lib/SpawnMeter" && 4 == grep { -e "$tree/$_" } @IN_TREE;
    }
    die "--classic-tree: '$named' is not a UnixBench tree, a folder with @IN_TREE\n";
}

# Runs the tree's own Makefile; the output of make goes to the log.  A test whose program is not
# built is skipped.
sub build_tree {
    my ($plan) = @_;
    my $tree = $plan->{tree};
    my @tests = grep { $_->{tree} } @{ $plan->{tests} };
    my $built = sub { return -x "$tree/pgms/$_[0]{program}" };
    my ($status, $words) = (grep { !$built->($_) } @tests) ? by_make('-C', $tree) : (0, q{});
    write_all($plan->{log}, "## make -C $tree: status $status\n$words\n") if length $words;
    my $why =
        $words =~ /^([^\n]*\berror\b[^\n]*)/mi ? ": $1" : q{ (see the output of make in the log)};
    my @options = @{ $plan->{suite}{option}{pass_on} };

    for my $test (@tests) {
        if    (@options)         { $test->{skip} = "a classic tree's test takes no @options" }
        elsif (!$built->($test)) { $test->{skip} = "the classic tree does not build it$why" }
    }
    return;
}

1;
