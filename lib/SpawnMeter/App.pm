# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::App;

# Dispatches a command line to its verb.
#
#   main(root folder of the suite, arguments) -> exit status: 0 all tests were measured or
#       skipped, 1 a test failed, the run is incomplete or its report could not be stored
#       or printed, 2 wrong use, 128 + signal where it was stopped
#   suite(root, options, arguments) -> what every verb is given: { root, binaries, results,
#       testdir, tmp => folders, sweeps_list => file, catalog, version, option, command =>
#       the command line as one would type it }

use strict;
use warnings;
use Errno                      ();
use File::Spec                 ();
use IO::Handle                 ();
use POSIX                      ();
use SpawnMeter::Catalog::Tests ();
use SpawnMeter::Command::AA;
use SpawnMeter::Command::Compare;
use SpawnMeter::Command::Doctor;
use SpawnMeter::Command::Explain;
use SpawnMeter::Command::List;
use SpawnMeter::Command::Run;
use SpawnMeter::Command::Show;
use SpawnMeter::Command::Sweep;
use SpawnMeter::Command::Trace;
use SpawnMeter::Options;
use SpawnMeter::Util::File   qw(slurp);
use SpawnMeter::Util::Format qw(visible_lines);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

my %VERB = (
    aa      => \&SpawnMeter::Command::AA::run,
    compare => \&SpawnMeter::Command::Compare::run,
    doctor  => \&SpawnMeter::Command::Doctor::run,
    explain => \&SpawnMeter::Command::Explain::run,
    list    => \&SpawnMeter::Command::List::run,
    show    => \&SpawnMeter::Command::Show::run,
    sweep   => \&SpawnMeter::Command::Sweep::run,
    trace   => \&SpawnMeter::Command::Trace::run,
);

sub main {
    my ($root, @arguments) = @_;
    POSIX::setlocale(POSIX::LC_ALL(), 'C');
    set_signals();
    clean_environment();
    umask(umask() & oct 77);    # the owner of a run can always read its files
    my $status = eval { dispatch($root, @arguments) };
    return printed($status) if defined $status;
    print {*STDERR} 'Run: ', visible_lines($@);
    return 2;
}

# To the very end of the process, and so not local
sub set_signals {
    $SIG{PIPE} = 'IGNORE';
    $SIG{CHLD} = 'DEFAULT';
    $SIG{XFSZ} = 'IGNORE';      # a file that may not grow is an error of write(2)
    my $owner = $$;
    for my $name (SpawnMeter::Util::Process::handled_signals()) {
        my $status = SpawnMeter::Util::Process::status_of_signal($name);
        $SIG{$name} = sub { stop($status) if $$ == $owner };
    }
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), POSIX::SigSet->new);
    return;
}

# exit alone is not enough: where it meets a scope that keeps $? for itself (as File::Temp's
# destructor does) that scope restores it
my $stopped_with;
sub stop { ($stopped_with) = @_; exit $stopped_with }
END { $? = $stopped_with if defined $stopped_with }

# Removes what would make make, a shell, or a program that they start run another program
# or read another text
sub clean_environment {
    my @folders = grep { m{^/} } split /:/, defined $ENV{PATH} ? $ENV{PATH} : q{};
    $ENV{PATH} = @folders ? join(q{:}, @folders) : SpawnMeter::Util::Programs::PATH();
    delete @ENV{qw(BASH_ENV ENV CDPATH IFS MAKEFILES GNUMAKEFLAGS GREP_OPTIONS)};
    return;
}

# A report that did not arrive is a failure, unless its reader had enough (| head)
sub printed {
    my ($status) = @_;
    return $status if (STDOUT->flush && !STDOUT->error) || $!{EPIPE};
    print {*STDERR} "Run: the output could not be written: $!\n";
    return $status || 1;
}

sub dispatch {
    my ($root, @arguments) = @_;
    my $option = SpawnMeter::Options::parse(@arguments);
    return manual($root) if $option->{help};
    if ($option->{version}) {
        print 'SpawnMeter ', slurp("$root/VERSION"), "\n";
        return 0;
    }
    my $suite = suite($root, $option, @arguments);
    my ($verb) = @{ $option->{names} };
    my $run = defined $verb && $VERB{$verb} || \&SpawnMeter::Command::Run::run;
    return $run->($suite);
}

# The folders, of which the UB_ variables name others.  Temporary files lie in a folder of
# the tree, where the file tests find the disk that the suite is on, and not one in memory.
sub suite {
    my ($root, $option, @arguments) = @_;
    my $binaries = folder($ENV{UB_BINDIR}, "$root/pgms");
    my ($tests, $sweeps) =
        map { -e "$binaries/$_" ? "$binaries/$_" : "$root/pgms/$_" } qw(tests.list sweeps.list);
    return {
        root        => $root,
        binaries    => $binaries,
        results     => folder($ENV{UB_RESULTDIR}, "$root/results"),
        testdir     => folder($ENV{UB_TESTDIR}, "$root/testdir"),
        tmp         => folder($ENV{UB_TMPDIR}, "$root/tmp"),
        sweeps_list => $sweeps,
        catalog     => SpawnMeter::Catalog::Tests::load($tests),
        version     => slurp("$root/VERSION"),
        option      => $option,
        command     => join(q{ }, './Run', map { quoted($_) } @arguments),
    };
}

sub folder {
    my ($named, $default) = @_;
    return $default if !defined $named || !length $named;
    return File::Spec->rel2abs($named);
}

# An argument as one would type it
sub quoted {
    my ($text) = @_;
    return $text if $text =~ m{^[\w./,:=%+@-]+$};
    $text                 =~ s/[^\x20-\x7e]/?/g;
    $text                 =~ s/'/'\\''/g;
    return "'$text'";
}

# --help is the manual's beginning
sub manual {
    my ($root) = @_;
    require Pod::Usage;
    Pod::Usage::pod2usage(
        -input    => "$root/Run",
        -verbose  => 99,
        -sections => 'SYNOPSIS|OPTIONS',
        -exitval  => 'NOEXIT',
        -output   => \*STDOUT
    );
    return 0;
}

1;
