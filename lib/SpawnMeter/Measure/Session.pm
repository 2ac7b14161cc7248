package SpawnMeter::Measure::Session;

# Opens what a run needs (the lock, the results, the programs), measures it, and stores
# each pass as it ends.
#
#   open_session(suite, tests => [test], tree => classic tree or undef, settings => settings
#       record, copies => [numbers]; for sweeps also kind, sweep, notes) -> session; the
#       programs are built and the results are open.  Dies with a message, and leaves
#       nothing
#   measure(session, blocks) -> (run, name of the signal that ended it or undef).  A block
#       is { copies, cells => [cell], title or undef }
#   block(session, copies, sides) -> the block of all tests at this number of copies, once
#       for each side
#   alone(suite): no other Run measures in this tree from now on, and what this one leaves
#       is removed after it
#   usable_cpus() -> { cpus => [numbers], count }
#   clock() -> monotonic seconds
#
# A suite is what SpawnMeter::App::suite gives: the folders and the options.

use strict;
use warnings;
use Exporter 'import';
use IO::Handle                   ();
use List::Util                   qw(first);
use POSIX                        ();
use SpawnMeter::Analysis::Record qw(cell run);
use SpawnMeter::Machine::Counters;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::Loop;
use SpawnMeter::Measure::Runner;
use SpawnMeter::Measure::UnixBenchTree;
use SpawnMeter::Report::Progress;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::Lock;
use SpawnMeter::Util::Process;
use Time::HiRes ();

our @EXPORT_OK = qw(open_session measure block alone usable_cpus clock);

sub clock { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) }

sub usable_cpus { return SpawnMeter::Machine::Facts->new->usable_cpus }

sub open_session {
    my ($suite, %with) = @_;
    alone($suite);
    check_folders($suite);
    my $results = SpawnMeter::Store::RunFile::open_results(
        $suite->{results},
        $ENV{UB_OUTPUT_FILE_NAME},
        (POSIX::uname())[1]
    );
    my @entries;
    my $session = {
        %with,
        suite    => $suite,
        progress => progress($suite->{option}),
        facts    => SpawnMeter::Machine::Facts->new(
            binaries => $suite->{binaries},
            tmp      => $suite->{tmp}
        ),
        results => $results,
        log     => $results->{log},
        entries => \@entries,
        record  => sub {
            my ($kind, $data) = @_;
            push @entries, { kind => $kind, data => $data };
            $results->{journal}->append($kind, $data);
        },
    };
    return $session if eval { build($session); 1 };
    my $why = $@;
    SpawnMeter::Store::RunFile::forget($results);
    die $why;
}

sub progress {
    my ($option) = @_;
    STDERR->autoflush(1);
    return SpawnMeter::Report::Progress->new(
        out     => \*STDERR,
        live    => -t STDERR && ($ENV{TERM} || 'dumb') ne 'dumb',
        quiet   => $option->{quiet},
        verbose => $option->{verbose},
        clock   => \&clock,
    );
}

sub alone {
    my ($suite) = @_;
    SpawnMeter::Util::Lock::take("$suite->{root}/Run", sub { print {*STDERR} 'Run: ', @_ });
    SpawnMeter::Util::Cleanup::begin(SpawnMeter::Util::Lock::handles());
    SpawnMeter::Util::Process::no_core_files();    # in testdir, when a test crashes
    return;
}

# A file system can be read-only where the folder's mode says otherwise
sub check_folders {
    my ($suite) = @_;
    my ($testdir, $tmp) = @{$suite}{qw(testdir tmp)};
    die "$testdir: no such folder; set UB_TESTDIR to another one\n" if !-d $testdir;
    mkdir $tmp if !defined $ENV{UB_TMPDIR};
    my $writable = -d $tmp && -w _ && eval { SpawnMeter::Util::Cleanup::temporary($tmp) };
    die "$tmp: cannot be written to; set UB_TMPDIR to another folder\n" if !$writable;
    return;
}

# A classic tree's test that cannot be built is skipped with the reason; the others run
sub build {
    my ($session) = @_;
    my $suite = $session->{suite};
    my @tests = @{ $session->{tests} };
    SpawnMeter::Measure::Build::build(
        $suite->{root}, $suite->{binaries},
        [ map({ $_->{program} } grep { !$_->{tree} } @tests), 'true-dynamic' ],
        sub { $session->{progress}->say_plain(@_) }
    );
    my @of_tree = grep { $_->{tree} } @tests;
    return if !defined $session->{tree};
    my $why =
        SpawnMeter::Measure::UnixBenchTree::build($session->{tree}, \@of_tree, $session->{log});
    my @changed = @{ $suite->{option}{pass_on} };

    for my $test (@of_tree) {
        $test->{skip} =
            @changed ? "a classic tree's test takes no @changed" : $why->{ $test->{name} };
    }
    return;
}

sub block {
    my ($session, $copies, @sides) = @_;
    my @cells;
    for my $side (@sides ? @sides : undef) {
        push @cells, map {
            cell(
                %{$_},
                test   => $_->{name},
                copies => $copies,
                defined $side ? (side => $side) : ()
            )
        } @{ $session->{tests} };
    }
    return { copies => $copies, cells => \@cells };
}

sub measure {
    my ($session, @blocks) = @_;
    my ($stopped, $pause);

    # what nohup or a shell's background had ignored stays so
    my @handled = SpawnMeter::Util::Process::handled_signals();
    local @SIG{@handled} = map {
        my $name = $_;
        sub { $stopped = $name }
    } @handled;
    local $SIG{TSTP} = ($SIG{TSTP} || q{}) eq 'IGNORE' ? 'IGNORE' : sub { $pause = 1 };
    $session->{record}->(run => head($session));
    SpawnMeter::Store::RunFile::check($session->{results});    # before anything is measured
    my $cost = measure_blocks(
        $session,
        \@blocks,
        {
            stopped        => sub { return defined $stopped },
            asked_to_pause => sub { my $asked = $pause; $pause = 0; return $asked },
        }
    );
    my $end = end_of($session->{entries}, $stopped);
    $session->{record}->(end => { %{$end}, cost => $cost });
    my @entries = splice @{ $session->{entries} };
    return (SpawnMeter::Store::RunFile::assemble_measured(@entries), $stopped);
}

# What stands at the head of a run: all that is known before it is measured
sub head {
    my ($session) = @_;
    my $suite = $session->{suite};
    my @changed = @{ $suite->{option} }{qw(pass_on target_arguments)};
    my @options = map { @{$_} } @changed;
    my %facts = (
        %{ $session->{facts}->facts },
        target_sha256 =>
            scalar SpawnMeter::Machine::Facts::hash_of("$suite->{binaries}/true-dynamic"),
    );
    return run(
        format => SpawnMeter::Store::RunFile::FORMAT(),
        schema => SpawnMeter::Store::RunFile::SCHEMA(),
        kind   => $session->{kind} || 'run',
        (map { $_ => $session->{$_} } grep { $session->{$_} } qw(sweep notes)),
        suite      => $suite->{version},
        name       => $session->{results}{name},
        host       => (POSIX::uname())[1],
        command    => $suite->{command},
        protocol   => $session->{settings},
        options    => \@options,
        unscored   => changes_work(@options),
        with_tree  => defined $session->{tree} ? 1 : 0,
        system     => \%facts,
        build      => [ build_facts($session) ],
        categories => $suite->{catalog}{categories},
        tests      => [ map { test_of_head($_) } @{ $session->{tests} } ],
        started    => time,
    );
}

sub test_of_head {
    my ($test) = @_;
    my ($name, $title) = @{$test}{qw(name title)};
    ($name, $title) = ($test->{series}) x 2 if exists $test->{series};
    return { name => $name, title => $title, category => $test->{category} };
}

# One of our own programs says how all of them were built
sub build_facts {
    my ($session) = @_;
    my $test = first { !$_->{tree} } @{ $session->{tests} };
    my $program = $test ? $test->{program} : 'fork';
    return SpawnMeter::Measure::Build::facts("$session->{suite}{binaries}/$program");
}

# --count alone changes when a pass ends, not what is done in it
sub changes_work {
    my (@options) = @_;
    return (grep { !/^(?:--count|\d+)$/ } @options) ? 1 : 0;
}

sub measure_blocks {
    my ($session, $blocks, $asked) = @_;
    my $suite = $session->{suite};
    my $tmp = SpawnMeter::Util::Cleanup::temporary($suite->{tmp});
    local %ENV = environment($suite, "$tmp");
    my $counters = SpawnMeter::Machine::Counters->new(q{});
    my $runner = SpawnMeter::Measure::Runner->new(
        read_counters => sub { return $counters->read_all },
        %{$asked},
    );
    my @before = POSIX::times();
    my $cost = SpawnMeter::Measure::Loop::measure({
        (map { $_ => $session->{$_} } qw(settings tree progress log record cpus)),
        (map { $_ => $suite->{$_} } qw(binaries testdir)),
        (map { $_ => $suite->{option}{$_} } qw(pass_on count target_arguments)),
        blocks    => $blocks,
        runner    => $runner,
        stopped   => $asked->{stopped},
        clock     => \&clock,
        oom_kills => sub { return $counters->oom_kills },
    });

    # Run's own CPU time, without that of the programs
    my @after = POSIX::times();
    my $ticks = $after[1] + $after[2] - $before[1] - $before[2];
    return { %{$cost}, cpu => $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK()) };
}

# What the programs are given; the tests' locale is that of tests.list
sub environment {
    my ($suite, $tmp) = @_;
    my %inherited = map { $_ => $ENV{$_} } grep { !/^LC_/ } keys %ENV;
    return (
        %inherited,
        LC_ALL       => 'C',
        UB_BINDIR    => $suite->{binaries},
        UB_TMPDIR    => $tmp,
        UB_RESULTDIR => $suite->{results},
        UB_TESTDIR   => $suite->{testdir},
    );
}

sub end_of {
    my ($entries, $stopped) = @_;
    my @failed = grep { $_->{kind} eq 'pass' && $_->{data}{status} eq 'failed' } @{$entries};
    return { complete => 0, reason => "it was stopped by SIG$stopped" } if defined $stopped;
    return { complete => 0, reason => scalar(@failed) . ' of the tests failed' } if @failed;
    return { complete => 1, reason => undef };
}

1;
