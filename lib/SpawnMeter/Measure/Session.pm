package SpawnMeter::Measure::Session;

# What is about to be measured, with everything found wrong that can be before.
#
#   wanted(suite, names) -> (score_by, tree, tests): what the names stand for
#   prepare(suite, tests => [...], tree => folder or undef, score_by, and for sweeps
#       cells => number, kind, sweep, passes) -> plan for SpawnMeter::Command::Run; the
#       programs are built, and the results are open
#   score_by(suite) -> { baseline, form, all } for SpawnMeter::Analysis::Results::blocks
#   clock() -> monotonic seconds
#   alone(suite): no other Run measures in this tree, and what this one leaves is cleaned
#       up after it
#
# A suite is what SpawnMeter::App::places gives, with the options.

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(min);
use POSIX      ();
use SpawnMeter::Catalog::Baseline;
use SpawnMeter::Measure::Build;
use SpawnMeter::Catalog::Tests ();
use SpawnMeter::Measure::UnixBenchTree;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::Lock;
use SpawnMeter::Report::Progress;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Util::Format qw(visible_lines);
use Time::HiRes              ();

our @EXPORT_OK = qw(wanted prepare score_by clock);

sub clock { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) }

sub protocol {
    my ($option, $cells) = @_;
    my $name = $option->{classic} ? 'classic' : $option->{quick} ? 'quick' : 'settle';
    my $precision = defined $option->{precision} ? $option->{precision} : '3%';
    $precision =~ s/%//;
    my $seed = defined $option->{seed} ? $option->{seed} : (time ^ $$) % 1_000_000;
    my %protocol = (
        name      => $name,
        slice     => defined $option->{slice}               ? $option->{slice} + 0 : 0.25,
        warmup    => $name eq 'classic' || $option->{count} ? 0                    : 0.025,
        precision => $precision / 100,
        max_time  => defined $option->{'max-time'} ? $option->{'max-time'} + 0 : 10,
        seed      => $seed + 0,
        pin       => $option->{pin} ? 1 : 0,
        $option->{count}              ? (counted    => $option->{count} + 0)      : (),
        defined $option->{iterations} ? (iterations => $option->{iterations} + 0) : (),
    );
    my $given = defined $option->{'max-time'};
    $protocol{same_slice} = 1 if $name eq 'quick' || defined $option->{slice};
    $protocol{least_passes} = 3 if $name eq 'settle' && !$given;

    # all of them in half a minute
    $protocol{max_time} = sprintf('%.2f', min(1.75, 28 / $cells)) + 0
        if $name eq 'quick' && !$given;
    return \%protocol;
}

# The tests of these names, without those that need a classic tree where there is none
sub choose {
    my ($suite, $tree, @names) = @_;
    my @tests = SpawnMeter::Catalog::Tests::choose($suite->{catalogue}, @names);
    return @tests if defined $tree;
    return SpawnMeter::Measure::UnixBenchTree::without(\@tests, @names);
}

# What a run needs is built before it begins; which of a tree's own tests cannot be
# built is said of them, and the others run
sub build {
    my ($suite, $plan) = @_;
    my @own = grep { !$_->{tree} } @{ $plan->{tests} };
    SpawnMeter::Measure::Build::build(
        $suite->{root}, $suite->{binaries},
        [ map({ $_->{program} } @own), 'true-dynamic' ],
        sub { $plan->{progress}->say_plain(@_) }
    );
    return if !defined $plan->{tree};
    my $why =
        SpawnMeter::Measure::UnixBenchTree::build($plan->{tree},
        [ grep { $_->{tree} } @{ $plan->{tests} } ],
        $plan->{log});
    for my $test (grep { $_->{tree} } @{ $plan->{tests} }) {
        $test->{skip} =
            @{ $suite->{option}{pass_on} }
            ? "a classic tree's test takes no @{ $suite->{option}{pass_on} }"
            : $why->{ $test->{name} };
    }
    return;
}

sub score_by {
    my ($suite) = @_;
    my @known = (
        map({ $_->{name} } @{ $suite->{catalogue}{tests} }),
        map { @{ $_->[2] } } @{ $suite->{catalogue}{categories} }
    );
    my $baseline =
        SpawnMeter::Catalog::Baseline::load("$suite->{root}/pgms", $suite->{option}{baseline},
        \@known);
    print {*STDERR} visible_lines(join q{}, @{ $baseline->{warnings} });
    my $all = SpawnMeter::Catalog::Tests::complete_sets($suite->{catalogue}, $baseline->{baseline});
    return { baseline => $baseline->{baseline}, form => $baseline->{form}, all => $all };
}

# The tests that the names stand for
sub wanted {
    my ($suite, @names) = @_;
    my $option = $suite->{option};
    my $score_by = score_by($suite);
    @names = sort keys %{ $score_by->{baseline} } if !@names && $score_by->{form} eq '4.1';
    my $tree = SpawnMeter::Measure::UnixBenchTree::folder(
        defined $option->{'classic-tree'} ? $option->{'classic-tree'} : $ENV{UB_CLASSIC});
    return (score_by => $score_by, tree => $tree, tests => [ choose($suite, $tree, @names) ]);
}

sub prepare {
    my ($suite, %with) = @_;
    my $option = $suite->{option};
    my @tests = @{ $with{tests} };
    my $live = -t STDERR && ($ENV{TERM} || 'dumb') ne 'dumb';
    my $progress = SpawnMeter::Report::Progress->new(
        out     => \*STDERR,
        live    => $live,
        quiet   => $option->{quiet},
        verbose => $option->{verbose},
        clock   => \&clock,
    );
    STDERR->autoflush(1);
    alone($suite);
    die "$suite->{testdir}: no such folder; UB_TESTDIR names another\n" if !-d $suite->{testdir};
    mkdir $suite->{tmp} if !defined $ENV{UB_TMPDIR};
    check_tmp($suite->{tmp});
    my $system =
        SpawnMeter::Machine::Facts->new(binaries => $suite->{binaries}, tmp => $suite->{tmp});
    my $usable = $system->usable_cpus;
    my @copies =
          $option->{copies}    ? map({ $_ + 0 } @{ $option->{copies} })
        : $usable->{count} > 1 ? (1, $usable->{count})
        :                        (1);
    my $results = SpawnMeter::Store::RunFile::open_results(
        $suite->{results},
        $ENV{UB_OUTPUT_FILE_NAME},
        (POSIX::uname())[1]
    );
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
        protocol => {
            $with{sweep} ? (sweep_least => 6) : (),
            %{ protocol($option, $with{cells} || @tests * @copies) },
            $with{passes} ? (fixed => $with{passes}) : ()
        },
        entries => \@entries,
        record  => sub { push @entries, [@_]; $results->{journal}->append(@_) },
    };
    my $built = eval { build($suite, $plan); 1 };
    my $why = $@;

    if (!$built) {
        SpawnMeter::Store::RunFile::forget($results);
        die $why;
    }
    return $plan;
}

sub alone {
    my ($suite) = @_;
    SpawnMeter::Util::Lock::take($suite->{root}, sub { print {*STDERR} 'Run: ', @_ });
    SpawnMeter::Util::Cleanup::begin(SpawnMeter::Util::Lock::handles());
    return;
}

# A file system can be read-only where the folder's mode says otherwise
sub check_tmp {
    my ($folder) = @_;
    my $try = -d $folder && -w _ && eval { SpawnMeter::Util::Cleanup::temporary($folder) };
    die "$folder: no folder that can be written to; UB_TMPDIR names another\n" if !$try;
    return;
}

1;
