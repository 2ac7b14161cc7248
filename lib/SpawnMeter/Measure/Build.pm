# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Build;

# Builds what is missing or out of date, with make, quietly.
#
#   build(root folder, folder of programs, names, say => sub (text)) -> list of
#       programs that are still missing; dies with the compiler's words, or with
#       the name of the missing tool and how to install it
#   make_static(root folder): builds the static ones, where that can be done
#   facts(program) -> lines about compiler, flags, libc; empty if it cannot say

use strict;
use warnings;
use File::Path ();
use List::Util qw(max);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::Process qw(output);
use SpawnMeter::Util::Programs;
use Time::HiRes ();

use constant ANSWER => 5;    # seconds in which a program must say what it is

sub build {
    my ($root, $folder, $names, $say) = @_;
    my @missing = missing($folder, $names);
    my $make = gnu_make();
    if ("$root/pgms" ne $folder) {
        die "not in $folder (UB_BINDIR): @missing\n" if @missing;
        return;
    }
    my ($named) = split q{ }, $ENV{CC} || 'cc';
    my $compiler = SpawnMeter::Util::Programs::found($named);
    if (!$make || !$compiler) {
        return if !@missing;
        my @tools = (!$compiler ? "a C compiler ($named)" : (), !$make ? 'GNU make' : ());
        die 'to build the test programs, '
            . join(' and ', @tools)
            . " must be installed:\n    "
            . SpawnMeter::Util::Programs::install_line(q{}) . "\n";
    }
    my $whole = !@missing && !stale($root, $folder, $names);
    return if $whole && !-w "$root/build";    # somebody else's tree
    $say->("building the test programs ...\n") if @missing;
    my ($status, $words) = eval { make($make, $root, 'all') };
    ($status, $words) = (1, $@) if !defined $status;
    if ($status != 0 && $whole) {
        my ($first) = $words =~ /([^\n]+)/;
        $say->(
            "make could not be asked whether the programs are up to date; they are newer than their sources, and are used ($first)\n"
        );
        return;
    }
    die "the build failed:\n$words" if $status != 0;
    $say->($words) if length $words;
    return;
}

sub missing {
    my ($folder, $names) = @_;
    return grep { !-x "$folder/$_" } @{$names};
}

# True if one of the programs is older than its sources
sub stale {
    my ($root, $folder, $names) = @_;
    my $age = sub {
        return max(0, map { (Time::HiRes::stat($_))[9] || 0 } @_);
    };
    my $shared = $age->("$root/VERSION", map { glob "\Q$root\E/src/harness/$_" } qw(*.c *.h));
    for my $name (@{$names}) {
        my $target = $name =~ /^(true)-/ ? "$root/src/targets/$1.c" : undef;
        my $sources =
            defined $target
            ? $age->($target)
            : max($shared, $age->("$root/src/$name.c", "$root/src/trace/$name.c"));
        return 1 if $sources > $age->("$folder/$name");
    }
    return 0;
}

sub gnu_make {
    for my $name (qw(gmake make)) {
        my $path = SpawnMeter::Util::Programs::found($name);
        return $path if $path;
    }
    return;
}

# What compiler and linker need for a while lies in a folder that goes with Run
sub make {
    my ($make, $root, $goal) = @_;
    my $scratch = -w "$root/build"
        || mkdir("$root/build") ? SpawnMeter::Util::Cleanup::temporary("$root/build") : undef;
    SpawnMeter::Util::Cleanup::file("$root/build/new");
    local %ENV = %ENV;
    delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS MAKEFILES GNUMAKEFLAGS)};
    local $ENV{TMPDIR} = "$scratch" if $scratch;
    my @said = output($make, '-s', '-C', $root, $goal);
    File::Path::remove_tree("$root/build/new", { error => \my $unheeded });
    SpawnMeter::Util::Cleanup::keep("$root/build/new");
    return @said;
}

# The programs linked statically; what cannot be is told by the tests that want it
sub make_static {
    my ($root) = @_;
    my $make = gnu_make() or return;
    make($make, $root, 'static');
    return;
}

sub facts {
    my ($program) = @_;
    return if !-x $program;
    my ($status, $words) = SpawnMeter::Util::Process::output_of(
        { line => [ $program, '--version' ], seconds => ANSWER, marked => 1 });
    my (undef, @lines) = split /\n/, $words;
    return if $status != 0;
    return grep { /^[\x20-\x7e]+$/ && length() < 300 } @lines;
}

1;
