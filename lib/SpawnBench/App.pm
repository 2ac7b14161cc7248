package SpawnBench::App;

# Composes the stages; the only module that knows all of them.
#
#   main(root folder of the suite, arguments) -> exit status: 0 good, 1 some test
#   failed or the run is incomplete, 2 wrong use, 128 + signal when it was stopped

use strict;
use warnings;
use Cwd ();
use File::Temp ();
use POSIX ();
use SpawnBench::Baseline;
use SpawnBench::Build;
use SpawnBench::Catalogue ();
use SpawnBench::Cgroup qw(slurp);
use SpawnBench::Instruments;
use SpawnBench::Json qw(encode);
use SpawnBench::Measure;
use SpawnBench::Options;
use SpawnBench::Progress;
use SpawnBench::Report::CSV;
use SpawnBench::Report::Text;
use SpawnBench::Result qw(blocks);
use SpawnBench::Runner;
use SpawnBench::Store;
use SpawnBench::System;
use Time::HiRes ();

my %SIGNAL = (INT => 2, TERM => 15, HUP => 1, QUIT => 3);
my %VERB   = (list => \&list);

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
    return run($suite);
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

sub protocol {
    my ($option, $tests, $copies) = @_;
    my $name = $option->{classic} ? 'classic' : $option->{quick} ? 'quick' : 'settle';
    my $precision = defined $option->{precision} ? $option->{precision} : '3%';
    $precision =~ s/%//;
    my $seed = defined $option->{seed} ? $option->{seed} : (time ^ $$) % 1_000_000;
    my %protocol = (
        name      => $name,
        slice     => defined $option->{slice} ? $option->{slice} + 0 : 0.25,
        warmup    => $name eq 'classic' || $option->{count} ? 0 : 0.025,
        precision => $precision / 100,
        max_time  => defined $option->{'max-time'} ? $option->{'max-time'} + 0 : 10,
        seed      => $seed + 0,
        pin       => $option->{pin} ? 1 : 0,
        defined $option->{iterations} ? (iterations => $option->{iterations} + 0) : (),
    );
    # 30 s for all tests at one copy and at as many as there are CPUs
    $protocol{max_time} = 28 / ($tests * $copies) if $name eq 'quick' && !defined $option->{'max-time'};
    return \%protocol;
}

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my @tests = SpawnBench::Catalogue::choose($suite->{catalogue}, @{ $option->{names} });
    my @known = (map({ $_->{name} } @{ $suite->{catalogue}{tests} }), map { @{ $_->[2] } } @{ $suite->{catalogue}{categories} });
    my $baseline = SpawnBench::Baseline::load("$suite->{root}/pgms", $option->{baseline}, \@known);
    print {*STDERR} @{ $baseline->{warnings} };
    my $progress = SpawnBench::Progress->new(
        out => \*STDERR, live => -t STDERR && ($ENV{TERM} || 'dumb') ne 'dumb', quiet => $option->{quiet}, clock => \&clock,
    );
    STDERR->autoflush(1);
    SpawnBench::Build::build($suite->{root}, $suite->{binaries}, [ map { $_->{name} } @tests ], sub { $progress->say_plain(@_) });
    my $system = SpawnBench::System->new(binaries => $suite->{binaries});
    my $usable = $system->usable_cpus;
    my @copies = $option->{copies} ? map({ $_ + 0 } @{ $option->{copies} }) : $usable->{count} > 1 ? (1, $usable->{count}) : (1);
    my $stopped;
    local @SIG{ keys %SIGNAL } = map { my $name = $_; sub { $stopped = $name } } keys %SIGNAL;
    die "$suite->{testdir}: no such folder; UB_TESTDIR names another\n" if !-d $suite->{testdir};
    my $results = SpawnBench::Store::open_results($suite->{results}, $ENV{UB_OUTPUT_FILE_NAME}, (POSIX::uname())[1]);
    my @entries;
    my $record = sub { push @entries, [@_]; $results->{journal}->append(@_) };
    my $protocol = protocol($option, scalar @tests, scalar @copies);
    $record->(run => head($suite, \@tests, $system, $protocol, $results->{name}));
    measure($suite, {
        tests     => [ map { { %{$_}, test => $_->{name} } } @tests ],
        copies    => \@copies,
        protocol  => $protocol,
        record    => $record,
        progress  => $progress,
        stopped   => sub { return defined $stopped },
        log       => $results->{log},
        cpus      => $usable->{cpus},
    });
    $record->(end => end_of(\@entries, $stopped));
    return report($suite, $results, SpawnBench::Store::assemble(@entries), $baseline, $stopped);
}

sub clock { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) }

# What stands at the head of a run: all that is known before it is measured
sub head {
    my ($suite, $tests, $system, $protocol, $name) = @_;
    my $option = $suite->{option};
    my @changed = (@{ $option->{pass_on} }, @{ $option->{target_arguments} });
    my %facts = (%{ $system->facts }, target_sha256 => SpawnBench::System::hash_of("$suite->{binaries}/true-dynamic"));
    return {
        format     => SpawnBench::Store::FORMAT(),
        version    => SpawnBench::Store::VERSION(),
        suite      => $suite->{version},
        name       => $name,
        host       => (POSIX::uname())[1],
        command    => $suite->{command},
        protocol   => $protocol,
        options    => \@changed,
        # --count alone changes when a pass ends, not what it does
        unscored   => (grep { !/^(?:--count|\d+)$/ } @changed) ? 1 : 0,
        system     => \%facts,
        build      => [ SpawnBench::Build::facts("$suite->{binaries}/$tests->[0]{name}") ],
        categories => $suite->{catalogue}{categories},
        tests      => [ map { my $t = $_; +{ map { $_ => $t->{$_} } qw(name title category) } } @{$tests} ],
        started    => time,
    };
}

sub measure {
    my ($suite, $plan) = @_;
    my $tmp = File::Temp->newdir('spawnbench-XXXXXX', DIR => $suite->{tmp});
    local %ENV = (
        %ENV,
        LC_ALL       => 'C',
        UB_BINDIR    => $suite->{binaries},
        UB_TMPDIR    => "$tmp",
        UB_RESULTDIR => $suite->{results},
        UB_TESTDIR   => $suite->{testdir},
    );
    my $instruments = SpawnBench::Instruments->new(q{});
    my $option = $suite->{option};
    $plan->{runner} = SpawnBench::Runner->new(
        read_instruments => sub { return $instruments->read_all },
        stopped          => $plan->{stopped},
    );
    SpawnBench::Measure::measure({
        %{$plan},
        clock            => \&clock,
        began            => clock(),
        binaries         => $suite->{binaries},
        testdir          => $suite->{testdir},
        pass_on          => $option->{pass_on},
        count            => $option->{count},
        target_arguments => $option->{target_arguments},
    });
    return;
}

sub end_of {
    my ($entries, $stopped) = @_;
    my @failed = grep { $_->[0] eq 'pass' && $_->[1]{status} eq 'failed' } @{$entries};
    return { complete => 0, reason => "it was stopped by SIG$stopped" } if defined $stopped;
    return { complete => 0, reason => scalar(@failed) . ' of the tests failed' } if @failed;
    return { complete => 1, reason => undef };
}

# Writes and prints everything that comes of a run.  Its numbers reach the
# terminal even where they cannot be stored.
sub report {
    my ($suite, $results, $run, $baseline, $stopped) = @_;
    my $option = $suite->{option};
    my $all = SpawnBench::Catalogue::complete_sets($suite->{catalogue}, $baseline->{baseline});
    $run->{scored} = blocks($run, { baseline => $baseline->{baseline}, all => $all });
    my $text = SpawnBench::Report::Text->new(brief => $option->{brief})->render($run);
    my %file = (q{} => $text);
    $file{'.csv'} = SpawnBench::Report::CSV->new->render($run) if $option->{csv} || lc($ENV{UB_OUTPUT_CSV} || q{}) eq 'true';
    print $text if !$option->{quiet};
    my $stored = eval {
        my %raw = %{$run};
        $raw{results} = [ map { @{ $_->{results} } } @{ delete $raw{scored} } ];
        SpawnBench::Store::finish($results, \%raw);
        SpawnBench::Store::write_file("$results->{path}$_", $file{$_}) for sort keys %file;
        1;
    };
    if ($stored) { print {*STDERR} "Stored: $results->{path}\n" if !$option->{quiet} }
    else         { print {*STDERR} "Run: NOT STORED: $@" }
    return 128 + $SIGNAL{$stopped} if defined $stopped;
    return $stored && $run->{complete} ? 0 : 1;
}

1;
