# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Build;

# Builds test programs that are missing or older than their sources, with make.
#
#   build(root folder, folder of programs, [names], sub (text)): the sub is called with
#       what the user should know.  Dies with make's output, or with the names of the tools
#       that are missing and how to install them
#   make_static(root folder): builds the statically linked programs, where it can
#   gnu_make() -> path of GNU make, or undef
#   facts(program) -> lines about compiler, flags and libc, as the program prints them with
#       --version; none if it does not

use strict;
use warnings;
use List::Util qw(max);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::Process qw(output);
use SpawnMeter::Util::Programs;
use Time::HiRes ();

use constant VERSION_TIMEOUT => 5;    # seconds

sub build {
    my ($root, $folder, $names, $report) = @_;
    my @missing = missing($folder, $names);
    if ("$root/pgms" ne $folder) {
        die "UB_BINDIR is $folder, which lacks @missing\n" if @missing;
        return;
    }
    my $make = gnu_make();
    my $compiler = compiler();
    if (!$make || !$compiler->{path}) {
        return if !@missing;
        die how_to_install(!$compiler->{path} ? "a C compiler ($compiler->{name})" : (),
            !$make ? 'GNU make' : ());
    }
    my $usable = !@missing && !stale($root, $folder, $names);
    return if $usable && !-w "$root/build";    # the tree belongs to another user
    $report->("building the test programs ...\n") if @missing;
    my ($status, $words) = eval { make($make, $root, 'all') };
    ($status, $words) = (1, $@) if !defined $status;
    if ($status != 0) {
        die "the build failed:\n$words" if !$usable;
        $words = 'make failed; the test programs are newer than their sources and are used: '
            . ($words =~ /([^\n]+)/ ? "$1\n" : "no output\n");
    }
    $report->($words) if length $words;
    return;
}

sub compiler {
    my ($name) = split q{ }, $ENV{CC} || 'cc';
    return { name => $name, path => scalar SpawnMeter::Util::Programs::found($name) };
}

sub how_to_install {
    my (@tools) = @_;
    return
          'the test programs must be built, and '
        . join(' and ', @tools)
        . ' must be installed:'
        . "\n    "
        . SpawnMeter::Util::Programs::install_line(q{}) . "\n";
}

sub missing {
    my ($folder, $names) = @_;
    return grep { !-x "$folder/$_" } @{$names};
}

# True if one of the programs is older than one of its sources
sub stale {
    my ($root, $folder, $names) = @_;
    my $harness = newest("$root/VERSION", map { glob "\Q$root\E/src/harness/$_" } qw(*.c *.h));
    for my $name (@{$names}) {
        my $sources =
            $name =~ /^(true)-/
            ? newest("$root/src/targets/$1.c")
            : max($harness, newest("$root/src/$name.c", "$root/src/trace/$name.c"));
        return 1 if $sources > newest("$folder/$name");
    }
    return 0;
}

# When the newest of the files was changed, in seconds since 1970; 0 if there is none
sub newest {
    my (@paths) = @_;
    return max(0, map { (Time::HiRes::stat($_))[9] || 0 } @paths);
}

sub gnu_make {
    for my $name (qw(gmake make)) {
        my $path = SpawnMeter::Util::Programs::found($name);
        return $path if $path;
    }
    return;
}

# -> (wait status, output).  The temporary files of compiler and linker, and the programs until
# they are whole, are in a folder that is removed with Run; another make does not use it.
sub make {
    my ($make, $root, $goal) = @_;
    my $writable = -w "$root/build" || mkdir "$root/build";
    my $scratch = $writable ? SpawnMeter::Util::Cleanup::temporary("$root/build") : undef;
    local %ENV = %ENV;
    delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS MAKEFILES GNUMAKEFLAGS)};
    local $ENV{TMPDIR} = "$scratch" if $scratch;
    my @folder = $scratch ? 'UNFINISHED=' . ("$scratch" =~ m{([^/]+)\z})[0] : ();
    return output($make, '-s', '-C', $root, @folder, $goal);
}

# A test whose static program is missing reports it
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
        { line => [ $program, '--version' ], seconds => VERSION_TIMEOUT, marked => 1 });
    my (undef, @lines) = split /\n/, $words;
    return if $status != 0;
    return grep { /^[\x20-\x7e]+$/ && length() < 300 } @lines;
}

1;
