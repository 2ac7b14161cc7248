package SpawnBench::Bench;

# Prepares a run, has it measured, stores and reports it.
#
#   run(suite) -> exit status: the tests that the options name
#   equals(suite) -> exit status: the A/A comparison (./Run aa)
#   score_by(suite) -> { baseline, all } for SpawnBench::Result::blocks
#   clock() -> monotonic seconds
#   prepare(suite, what), perform(suite, plan, blocks), report(suite, plan, run,
#       signal): the stages of these, for SpawnBench::Sweeping
#
# A suite is what SpawnBench::App::places gives, with the options.

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use List::Util qw(first min);
use POSIX ();
use SpawnBench::Baseline;
use SpawnBench::Build;
use SpawnBench::Catalogue ();
use SpawnBench::ClassicPrograms;
use SpawnBench::Equals;
use SpawnBench::Instruments;
use SpawnBench::Measure;
use SpawnBench::Progress;
use SpawnBench::Report::CSV;
use SpawnBench::Report::HTML;
use SpawnBench::Report::Text;
use SpawnBench::Result qw(blocks);
use SpawnBench::Runner;
use SpawnBench::Store;
use SpawnBench::Sweeping;
use SpawnBench::System;
use Time::HiRes ();

our @EXPORT_OK = qw(run equals score_by clock prepare perform report);

my %SIGNAL = (INT => 2, TERM => 15, HUP => 1, QUIT => 3);

sub protocol {
    my ($option, $cells) = @_;
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
        $option->{count} ? (counted => $option->{count} + 0) : (),
        defined $option->{iterations} ? (iterations => $option->{iterations} + 0) : (),
    );
    my $given = defined $option->{'max-time'};
    $protocol{same_slice} = 1 if $name eq 'quick' || defined $option->{slice};
    $protocol{least_passes} = 3 if $name eq 'settle' && !$given;
    # all of them in half a minute
    $protocol{max_time} = sprintf('%.2f', min(1.75, 28 / $cells)) + 0 if $name eq 'quick' && !$given;
    return \%protocol;
}

# The tests of these names, without those that need a classic tree where there is none
sub choose {
    my ($suite, $tree, @names) = @_;
    my @tests = SpawnBench::Catalogue::choose($suite->{catalogue}, @names);
    return @tests if defined $tree;
    return SpawnBench::ClassicPrograms::without(\@tests, @names);
}

# What a run needs is built before it begins; which of a tree's own tests cannot be
# built is said of them, and the others run
sub build {
    my ($suite, $plan) = @_;
    my @own = grep { !$_->{tree} } @{ $plan->{tests} };
    SpawnBench::Build::build(
        $suite->{root}, $suite->{binaries},
        [ map({ $_->{program} } @own), 'true-dynamic' ],
        sub { $plan->{progress}->say_plain(@_) }
    );
    return if !defined $plan->{tree};
    my $why = SpawnBench::ClassicPrograms::build($plan->{tree}, [ grep { $_->{tree} } @{ $plan->{tests} } ], $plan->{log});
    for my $test (grep { $_->{tree} } @{ $plan->{tests} }) {
        $test->{skip} = @{ $suite->{option}{pass_on} } ? "a classic tree's test takes no @{ $suite->{option}{pass_on} }" : $why->{ $test->{name} };
    }
    return;
}

sub score_by {
    my ($suite) = @_;
    my @known = (
        map({ $_->{name} } @{ $suite->{catalogue}{tests} }),
        map { @{ $_->[2] } } @{ $suite->{catalogue}{categories} }
    );
    my $baseline = SpawnBench::Baseline::load("$suite->{root}/pgms", $suite->{option}{baseline}, \@known);
    print {*STDERR} @{ $baseline->{warnings} };
    my $all = SpawnBench::Catalogue::complete_sets($suite->{catalogue}, $baseline->{baseline});
    return { baseline => $baseline->{baseline}, form => $baseline->{form}, all => $all };
}

# The tests that the names stand for
sub wanted {
    my ($suite, @names) = @_;
    my $option = $suite->{option};
    my $score_by = score_by($suite);
    @names = sort keys %{ $score_by->{baseline} } if !@names && $score_by->{form} eq '4.1';
    my $tree = SpawnBench::ClassicPrograms::folder(defined $option->{'classic-tree'} ? $option->{'classic-tree'} : $ENV{UB_CLASSIC});
    return (score_by => $score_by, tree => $tree, tests => [ choose($suite, $tree, @names) ]);
}

# Everything that can be found wrong before measuring is found wrong here.
#   prepare(suite, tests => [...], tree => folder or undef, score_by) -> plan
sub prepare {
    my ($suite, %with) = @_;
    my $option = $suite->{option};
    my @tests = @{ $with{tests} };
    my $live = -t STDERR && ($ENV{TERM} || 'dumb') ne 'dumb';
    my $progress = SpawnBench::Progress->new(
        out => \*STDERR, live => $live, quiet => $option->{quiet}, verbose => $option->{verbose}, clock => \&clock,
    );
    STDERR->autoflush(1);
    die "$suite->{testdir}: no such folder; UB_TESTDIR names another\n" if !-d $suite->{testdir};
    mkdir $suite->{tmp} if !defined $ENV{UB_TMPDIR};
    die "$suite->{tmp}: no folder that can be written to; UB_TMPDIR names another\n" if !-d $suite->{tmp} || !-w _;
    my $system = SpawnBench::System->new(binaries => $suite->{binaries}, tmp => $suite->{tmp});
    my $usable = $system->usable_cpus;
    my @copies = $option->{copies} ? map({ $_ + 0 } @{ $option->{copies} }) : $usable->{count} > 1 ? (1, $usable->{count}) : (1);
    my $results = SpawnBench::Store::open_results($suite->{results}, $ENV{UB_OUTPUT_FILE_NAME}, (POSIX::uname())[1]);
    my @entries;
    my $plan = {
        %with,
        tests    => \@tests,
        copies   => \@copies,
        progress => $progress,
        system   => $system,
        cpus     => $usable->{cpus},
        results  => $results,
        log      => $results->{log},
        protocol => { $with{sweep} ? (sweep_least => 6) : (), %{ protocol($option, $with{cells} || @tests * @copies) }, $with{passes} ? (fixed => $with{passes}) : () },
        entries  => \@entries,
        record   => sub { push @entries, [@_]; $results->{journal}->append(@_) },
    };
    if (!eval { build($suite, $plan); 1 }) {
        my $why = $@;
        SpawnBench::Store::forget($results);
        die $why;
    }
    return $plan;
}

sub block {
    my ($plan, $copies, @sides) = @_;
    my @tests = map { { %{$_}, test => $_->{name}, copies => $copies } } @{ $plan->{tests} };
    my @cells = @sides ? map { my $side = $_; map { { %{$_}, side => $side } } @tests } @sides : @tests;
    return { copies => $copies, cells => \@cells };
}

# Measures the blocks; -> (run, name of the signal that ended it or undef)
sub perform {
    my ($suite, $plan, @blocks) = @_;
    my $stopped;
    # what nohup or a shell's background had ignored stays so
    my @heeded = grep { ($SIG{$_} || q{}) ne 'IGNORE' } sort keys %SIGNAL;
    local @SIG{@heeded} = map { my $name = $_; sub { $stopped = $name } } @heeded;
    $plan->{record}->(run => head($suite, $plan));
    my $cost = measure($suite, { %{$plan}, blocks => \@blocks, stopped => sub { return defined $stopped } });
    $plan->{record}->(end => { %{ end_of($plan->{entries}, $stopped) }, cost => $cost });
    return (SpawnBench::Store::assemble(@{ $plan->{entries} }), $stopped);
}

sub run {
    my ($suite) = @_;
    my $plan = prepare($suite, wanted($suite, @{ $suite->{option}{names} }));
    my ($run, $stopped) = perform($suite, $plan, map { block($plan, $_) } @{ $plan->{copies} });
    return report($suite, $plan, $run, $stopped);
}

sub equals {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my $plan = prepare($suite, wanted($suite, @names));
    $plan->{kind} = 'equals';
    my ($run, $stopped) = perform($suite, $plan,
        map({ block($plan, $_, 'A', 'B') } @{ $plan->{copies} }), map { block($plan, $_, 'C') } @{ $plan->{copies} });
    return report($suite, $plan, $run, $stopped);
}

sub clock { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) }

# What stands at the head of a run: all that is known before it is measured
sub head {
    my ($suite, $plan) = @_;
    my $option = $suite->{option};
    my @changed = (@{ $option->{pass_on} }, @{ $option->{target_arguments} });
    my %facts = (
        %{ $plan->{system}->facts },
        target_sha256 => scalar SpawnBench::System::hash_of("$suite->{binaries}/true-dynamic")
    );
    return {
        format     => SpawnBench::Store::FORMAT(),
        version    => SpawnBench::Store::VERSION(),
        kind       => $plan->{kind} || 'run',
        $plan->{sweep} ? (sweep => $plan->{sweep}) : (),
        $plan->{notes} ? (notes => $plan->{notes}) : (),
        suite      => $suite->{version},
        name       => $plan->{results}{name},
        host       => (POSIX::uname())[1],
        command    => $suite->{command},
        protocol   => $plan->{protocol},
        options    => \@changed,
        unscored   => changes_work(@changed),
        with_tree  => defined $plan->{tree} ? 1 : 0,
        system     => \%facts,
        build      => [ SpawnBench::Build::facts("$suite->{binaries}/" . program_of_ours($plan)) ],
        categories => $suite->{catalogue}{categories},
        tests      => [ map { my $t = $_; +{ name => $t->{series} || $t->{name}, title => $t->{series} || $t->{title}, category => $t->{category} } } @{ $plan->{tests} } ],
        started    => time,
    };
}

# One of our programs, to ask how they were built
sub program_of_ours {
    my ($plan) = @_;
    my $test = first { !$_->{tree} } @{ $plan->{tests} };
    return $test ? $test->{program} : 'fork';
}

# --count alone changes when a pass ends, not what is done in it
sub changes_work {
    my (@options) = @_;
    return (grep { !/^(?:--count|\d+)$/ } @options) ? 1 : 0;
}

sub measure {
    my ($suite, $plan) = @_;
    my $tmp = File::Temp->newdir('spawnbench-XXXXXX', DIR => $suite->{tmp});
    my %inherited = map { $_ => $ENV{$_} } grep { !/^LC_/ } keys %ENV;
    local %ENV = (
        %inherited,
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
    my @before = POSIX::times();
    my $cost = SpawnBench::Measure::measure({
        %{$plan},
        clock            => \&clock,
        binaries         => $suite->{binaries},
        testdir          => $suite->{testdir},
        pass_on          => $option->{pass_on},
        count            => $option->{count},
        target_arguments => $option->{target_arguments},
    });
    # Run's own CPU time, without that of the programs
    my @after = POSIX::times();
    $cost->{cpu} = ($after[1] + $after[2] - $before[1] - $before[2]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
    return $cost;
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
    my ($suite, $plan, $run, $stopped) = @_;
    my $option = $suite->{option};
    my $results = $plan->{results};
    my %file = texts($suite, $run, $plan->{score_by});
    print $file{q{}} if !$option->{quiet} && !$option->{quiet_report};
    my $stored = eval {
        die "$results->{path}.part: $results->{journal}{failed}\n" if $results->{journal}->failed;
        SpawnBench::Store::finish($results, { %{$run}, $run->{sweep} ? () : (results => SpawnBench::Result::results($run)) });
        SpawnBench::Store::write_file("$results->{path}$_", $file{$_}) for sort keys %file;
        1;
    };
    if    (!$stored)          { print {*STDERR} "Run: NOT STORED: $@" }
    elsif (!$option->{quiet}) { print {*STDERR} "Stored: $results->{path}\n" }
    return 128 + $SIGNAL{$stopped} if defined $stopped;
    return $stored && $run->{complete} ? 0 : 1;
}

# The forms of a run: { '' => text, '.csv' => ... }
sub texts {
    my ($suite, $run, $score_by) = @_;
    my $option = $suite->{option};
    my %scored = (%{$run}, scored => blocks($run, $score_by));
    my $text = SpawnBench::Report::Text->new(brief => $option->{brief});
    return (q{} => $text->header($run) . SpawnBench::Equals::render($run)) if ($run->{kind} || 'run') eq 'equals';
    return SpawnBench::Sweeping::texts($suite, $run, $text->header($run)) if $run->{sweep};
    my %file = (q{} => $text->render(\%scored), '.html' => SpawnBench::Report::HTML->new->render(\%scored));
    $file{'.csv'} = SpawnBench::Report::CSV->new->render(\%scored) if $option->{csv} || lc($ENV{UB_OUTPUT_CSV} || q{}) eq 'true';
    return %file;
}

1;
