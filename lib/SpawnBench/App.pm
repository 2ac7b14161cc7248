package SpawnBench::App;

# Composes the stages; the only module that knows all of them.
#
#   main(root folder of the suite, arguments) -> exit status: 0 good, 1 some test
#   failed or the run is incomplete, 2 wrong use, 128 + signal when it was stopped

use strict;
use warnings;
use File::Spec ();
use POSIX ();
use SpawnBench::Bench;
use SpawnBench::Catalogue ();
use SpawnBench::Cgroup qw(slurp);
use SpawnBench::Doctor;
use SpawnBench::Options;
use SpawnBench::Store;
use SpawnBench::System;
use Time::HiRes ();

my %VERB = (list => \&list, show => \&show, doctor => \&doctor, aa => \&SpawnBench::Bench::equals);

sub main {
    my ($root, @arguments) = @_;
    POSIX::setlocale(POSIX::LC_ALL(), 'C');
    local $SIG{PIPE} = 'IGNORE';
    local $SIG{CHLD} = 'DEFAULT';
    my $unblocked = POSIX::SigSet->new;
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), $unblocked);
    my $status = eval { dispatch($root, @arguments) };
    return $status if defined $status;
    my $message = $@;
    print {*STDERR} "Run: $message";
    return 2;
}

sub dispatch {
    my ($root, @arguments) = @_;
    my $option = SpawnBench::Options::parse(@arguments);
    return manual($root) if $option->{help};
    my $suite = { %{ places($root) }, option => $option, command => join q{ }, './Run', map { quoted($_) } @arguments };
    if ($option->{version}) {
        print "SpawnBench $suite->{version}\n";
        return 0;
    }
    my @names = @{ $option->{names} };
    return $VERB{ $names[0] }->($suite) if @names && $VERB{ $names[0] };
    return SpawnBench::Bench::run($suite);
}

# An argument as one would type it, for the report
sub quoted {
    my ($text) = @_;
    return $text if $text =~ m{^[\w./,:=%+@-]+$};
    $text =~ s/[^\x20-\x7e]/?/g;
    $text =~ s/'/'\\''/g;
    return "'$text'";
}

# The folders, of which the UB_ variables name others
sub places {
    my ($root) = @_;
    my $binaries = folder($ENV{UB_BINDIR},  "$root/pgms");
    my $results  = folder($ENV{UB_RESULTDIR}, "$root/results");
    my $testdir  = folder($ENV{UB_TESTDIR}, "$root/testdir");
    my $tmp      = folder($ENV{UB_TMPDIR}, $ENV{TMPDIR} || '/tmp');
    return {
        root      => $root,
        binaries  => $binaries,
        results   => $results,
        testdir   => $testdir,
        tmp       => $tmp,
        version   => slurp("$root/VERSION"),
        catalogue => SpawnBench::Catalogue::load(-e "$binaries/tests.list" ? "$binaries/tests.list" : "$root/pgms/tests.list"),
    };
}

sub folder {
    my ($named, $default) = @_;
    return $default if !defined $named || !length $named;
    return File::Spec->rel2abs($named);
}

# --help is the manual's beginning
sub manual {
    my ($root) = @_;
    require Pod::Usage;
    Pod::Usage::pod2usage(-input => "$root/Run", -verbose => 99, -sections => 'SYNOPSIS|OPTIONS', -exitval => 'NOEXIT', -output => \*STDOUT);
    return 0;
}

sub list {
    my ($suite) = @_;
    my $catalogue = $suite->{catalogue};
    my $groups = SpawnBench::Catalogue::groups_of($catalogue);
    print "Tests:\n";
    printf "  %-14s %-40s %s\n", @{$_}{qw(name title category)} for @{ $catalogue->{tests} };
    print "Groups:\n";
    printf "  %-14s %s\n", $_, join q{ }, @{ $groups->{$_} } for sort keys %{$groups};
    print "Without a name: @{ $catalogue->{default} }\n";
    my @baselines = map { m{/index[.]base-([^/]+)\z} } glob "\Q$suite->{root}\E/pgms/index.base-*";
    print "Baselines: @baselines (or a file, or a stored run)\n";
    return 0;
}

# Files of this suite's runs, in the normal form
sub show {
    my ($suite) = @_;
    my (undef, @files) = @{ $suite->{option}{names} };
    die "show: name one or more run files (NAME.json, or NAME.part of a run that was ended)\n" if !@files;
    my $score_by = SpawnBench::Bench::score_by($suite);
    for my $file (@files) {
        my %form = SpawnBench::Bench::texts($suite, SpawnBench::Store::load($file), $score_by);
        print $form{ $suite->{option}{csv} ? '.csv' : q{} };
    }
    return 0;
}

# Facts that are as long as a screen are shown by their beginning
sub doctor {
    my ($suite) = @_;
    my $system = SpawnBench::System->new(binaries => $suite->{binaries});
    my $facts = $system->facts;
    print "What this machine is (goes with every result):\n";
    for my $name (sort keys %{$facts}) {
        my $value = defined $facts->{$name} ? $facts->{$name} : 'unknown';
        my @parts = $name eq 'vulnerabilities' ? split /; /, $value : ($value);
        printf "  %-18s %s\n", $name, shift @parts;
        printf "  %-18s %s\n", q{}, $_ for @parts;
    }
    my $copies = $suite->{option}{copies} ? $suite->{option}{copies}[-1] : $facts->{cpus_usable};
    my @advice = SpawnBench::Doctor::advice($facts, $system->state($copies));
    print "\nWhat may disturb or limit a run here:\n";
    print map { wrapped($_) } @advice ? @advice : ('Nothing that can be seen.');
    return 0;
}

sub wrapped {
    my ($text) = @_;
    my ($line, $out) = (q{  -}, q{});
    for my $word (split q{ }, $text) {
        if (length("$line $word") > 78) { $out .= "$line\n"; $line = q{   } }
        $line .= " $word";
    }
    return "$out$line\n";
}

1;
