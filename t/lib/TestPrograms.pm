# SPDX-License-Identifier: GPL-2.0-or-later
package TestPrograms;

# The test programs, as the checks of t/c start them.
#
#   $BIN: their folder: UB_BINDIR, or pgms; $LINUX: true on Linux
#   program(name, arguments) -> as TestHelp::command
#   printed(name, arguments) -> what it printed, taken apart (ProgramOutput); { error } where it
#       failed
#   parse: that of ProgramOutput
#   methods() -> the names that make methods prints
#   refused([ name, [arguments], pattern of the message, status = 2 ], ...): checks each
#   own_groups() -> folders of the control groups that programs have made for themselves
#   left_besides([those before]) -> those that are not in this list and stay: a program that is
#       ended before it handles signals leaves them to its cleaner, and others have some for a time
#   names_in(folder) -> sorted names of what is in it, but for hidden files
#   preload(name) -> path of the library that cc makes of t/c/NAME.c, for LD_PRELOAD; the
#       checks of the file or subtest are skipped with the reason where it cannot

use strict;
use warnings;
use Exporter 'import';
use File::Temp                          ();
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Machine::Counters       qw(own_folders);
use Test::More                          ();
use TestHelp;

our @EXPORT = qw($BIN $LINUX program printed parse methods refused own_groups left_besides names_in
    preload);

our $BIN = $ENV{UB_BINDIR} || "$ROOT/pgms";
our $LINUX = $^O eq 'linux';

sub program { my ($name, @arguments) = @_; return command({}, "$BIN/$name", @arguments) }

sub printed {
    my $got = program(@_);
    return $got->{status} == 0 ? parse($got->{err}) : { error => $got->{err} };
}

sub methods {
    return split q{ },
        command({}, 'make', '-s', '--no-print-directory', '-C', $ROOT, 'methods')->{out};
}

sub refused {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $case (@_) {
        my ($name, $arguments, $why, $status) = @{$case};
        says(program($name, @{$arguments}), $why, "$name @{$arguments}", $status);
    }
    return;
}

sub own_groups {
    return map { glob "\Q$_\E/spawnmeter*" } own_folders(q{});
}

sub left_besides {
    my ($before) = @_;
    my %of = map { $_ => 1 } @{$before};
    my @left;
    wait_until(sub {
        !(@left = grep { !$of{$_} } own_groups());
    });
    return \@left;
}

sub names_in {
    my ($folder) = @_;
    opendir my $in, "$folder" or die "$folder: $!";
    return sort grep { !/^[.]/ } readdir $in;
}

# ld.so parts the names of LD_PRELOAD at blanks
my $libraries = File::Temp->newdir('sm-preload-XXXXXX', TMPDIR => 1);

sub preload {
    my ($name) = @_;
    Test::More::plan(skip_all => 'by LD_PRELOAD, on Linux') if !$LINUX;
    Test::More::plan(skip_all => 'a C compiler is missing') if !needs(0, 'cc');
    my $library = "$libraries/$name.so";
    my $built = command({}, qw(cc -O1 -shared -fPIC -o), $library, "$ROOT/t/c/$name.c", '-ldl');
    return $library if $built->{status} == 0;
    Test::More::plan(skip_all => "$name.c does not compile here: $built->{err}");
    return;
}

1;
