package SpawnBench::Build;

# Builds what is missing or out of date, with make, quietly.
#
#   build(root folder, folder of programs, names, say => sub (text)) -> list of
#       programs that are still missing; dies with the compiler's words, or with
#       the name of the missing tool and how to install it
#   make_static(root folder): builds the static ones, where that can be done
#   output(program, arguments) -> (wait status, text)
#   facts(program) -> lines about compiler, flags, libc; empty if it cannot say

use strict;
use warnings;
use POSIX ();
use SpawnBench::Tools;

sub build {
    my ($root, $folder, $names, $say) = @_;
    my @missing = missing($folder, $names);
    my $make = gnu_make();
    if ("$root/pgms" ne $folder) {
        die "not in $folder (UB_BINDIR): @missing\n" if @missing;
        return;
    }
    my $compiler = SpawnBench::Tools::found((split q{ }, $ENV{CC} || 'cc')[0]);
    if (!$make || !$compiler) {
        return if !@missing;
        my @tools = (!$compiler ? 'a C compiler (cc)' : (), !$make ? 'GNU make' : ());
        die 'to build the test programs, ' . join(' and ', @tools) . " must be installed:\n    "
            . SpawnBench::Tools::install_line(q{}) . "\n";
    }
    $say->("building the test programs ...\n") if @missing;
    my ($status, $words) = run_make($make, $root);
    die "the build failed:\n$words" if $status != 0;
    $say->($words) if length $words;
    return;
}

sub missing {
    my ($folder, $names) = @_;
    return grep { !-x "$folder/$_" } @{$names};
}

sub gnu_make {
    for my $name (qw(gmake make)) {
        my $path = SpawnBench::Tools::found($name);
        return $path if $path;
    }
    return;
}

# (wait status, everything that the command printed, on both outputs); no shell
sub output {
    my ($program, @arguments) = @_;
    my $pid = open my $out, '-|';
    die "cannot start $program: $!\n" if !defined $pid;
    if ($pid == 0) {
        open STDERR, '>&', \*STDOUT or POSIX::_exit(126);
        open STDIN, '<', '/dev/null' or POSIX::_exit(126);
        no warnings 'exec';    ## no critic (ProhibitNoWarnings) -- the status tells
        exec {$program} $program, @arguments or POSIX::_exit(127);
    }
    local $/ = undef;
    my $words = <$out>;
    close $out or return ($?, defined $words ? $words : q{});
    return (0, defined $words ? $words : q{});
}

sub run_make {
    my ($make, $root) = @_;
    local %ENV = %ENV;
    delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
    return output($make, '-s', '-C', $root, 'all');
}

# The programs linked statically; what cannot be is told by the tests that want it
sub make_static {
    my ($root) = @_;
    my $make = gnu_make() or return;
    local %ENV = %ENV;
    delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
    output($make, '-s', '-C', $root, 'static');
    return;
}

sub facts {
    my ($program) = @_;
    return if !-x $program;
    my ($status, $words) = output($program, '--version');
    my (undef, @lines) = split /\n/, $words;
    return if $status != 0;
    return grep { /^[\x20-\x7e]+$/ && length() < 300 } @lines;
}

1;
