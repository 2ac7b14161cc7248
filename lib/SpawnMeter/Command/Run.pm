package SpawnMeter::Command::Run;

# Has a run measured, stores and reports it.
#
#   run(suite) -> exit status: the tests that the options name
#   equals(suite) -> exit status: the A/A comparison (./Run aa)
#   perform(suite, plan of SpawnMeter::Measure::Session, blocks), report(suite, plan, run,
#       signal): the stages of these, for SpawnMeter::Command::Sweep
#
# A suite is what SpawnMeter::App::places gives, with the options.

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first);
use POSIX      ();
use SpawnMeter::Measure::Build;
use SpawnMeter::Analysis::AA;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Machine::Counters;
use SpawnMeter::Measure::Loop;
use SpawnMeter::Measure::Session qw(prepare wanted clock);
use SpawnMeter::Report::CSV;
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::Text;
use SpawnMeter::Analysis::Results qw(blocks);
use SpawnMeter::Measure::Runner;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Command::Sweep;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Util::Format qw(visible visible_lines);

our @EXPORT_OK = qw(run equals perform report);

# Those that ask Run to end, and their numbers
our %SIGNAL = (INT => 2, TERM => 15, HUP => 1, QUIT => 3);

sub block {
    my ($plan, $copies, @sides) = @_;
    my @tests = map { { %{$_}, test => $_->{name}, copies => $copies } } @{ $plan->{tests} };
    my @cells = @sides
        ? map {
        my $side = $_;
        map { { %{$_}, side => $side } } @tests
        } @sides
        : @tests;
    return { copies => $copies, cells => \@cells };
}

# Measures the blocks; -> (run, name of the signal that ended it or undef)
sub perform {
    my ($suite, $plan, @blocks) = @_;
    my ($stopped, $pause);

    # what nohup or a shell's background had ignored stays so
    my @heeded = grep { ($SIG{$_} || q{}) ne 'IGNORE' } sort keys %SIGNAL;
    local @SIG{@heeded} = map {
        my $name = $_;
        sub { $stopped = $name }
    } @heeded;
    local $SIG{TSTP} = ($SIG{TSTP} || q{}) eq 'IGNORE' ? 'IGNORE' : sub { $pause = 1 };
    $plan->{record}->(run => head($suite, $plan));
    SpawnMeter::Store::RunFile::check($plan->{results});    # before anything is measured
    my $cost = measure(
        $suite,
        {
            %{$plan},
            blocks         => \@blocks,
            stopped        => sub { return defined $stopped },
            asked_to_pause => sub { my $asked = $pause; $pause = 0; return $asked }
        }
    );
    $plan->{record}->(end => { %{ end_of($plan->{entries}, $stopped) }, cost => $cost });
    return (SpawnMeter::Store::RunFile::assemble_measured(splice @{ $plan->{entries} }), $stopped);
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
    my ($run, $stopped) = perform(
        $suite, $plan,
        map({ block($plan, $_, 'A', 'B') } @{ $plan->{copies} }),
        map { block($plan, $_, 'C') } @{ $plan->{copies} }
    );
    return report($suite, $plan, $run, $stopped);
}

# What stands at the head of a run: all that is known before it is measured
sub head {
    my ($suite, $plan) = @_;
    my $option = $suite->{option};
    my @changed = (@{ $option->{pass_on} }, @{ $option->{target_arguments} });
    my %facts = (
        %{ $plan->{system}->facts },
        target_sha256 =>
            scalar SpawnMeter::Machine::Facts::hash_of("$suite->{binaries}/true-dynamic")
    );
    return {
        format => SpawnMeter::Store::RunFile::FORMAT(),
        schema => SpawnMeter::Store::RunFile::SCHEMA(),
        kind   => $plan->{kind} || 'run',
        $plan->{sweep} ? (sweep => $plan->{sweep}) : (),
        $plan->{notes} ? (notes => $plan->{notes}) : (),
        suite     => $suite->{version},
        name      => $plan->{results}{name},
        host      => (POSIX::uname())[1],
        command   => $suite->{command},
        protocol  => $plan->{protocol},
        options   => \@changed,
        unscored  => changes_work(@changed),
        with_tree => defined $plan->{tree} ? 1 : 0,
        system    => \%facts,
        build     =>
            [ SpawnMeter::Measure::Build::facts("$suite->{binaries}/" . program_of_ours($plan)) ],
        categories => $suite->{catalogue}{categories},
        tests      => [
            map {
                my $t = $_;
                +{
                    name     => $t->{series} || $t->{name},
                    title    => $t->{series} || $t->{title},
                    category => $t->{category}
                }
            } @{ $plan->{tests} }
        ],
        started => time,
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
    my $tmp = SpawnMeter::Util::Cleanup::temporary($suite->{tmp});
    my %inherited = map { $_ => $ENV{$_} } grep { !/^LC_/ } keys %ENV;
    local %ENV = (
        %inherited,
        LC_ALL       => 'C',
        UB_BINDIR    => $suite->{binaries},
        UB_TMPDIR    => "$tmp",
        UB_RESULTDIR => $suite->{results},
        UB_TESTDIR   => $suite->{testdir},
    );
    my $instruments = SpawnMeter::Machine::Counters->new(q{});
    my $option = $suite->{option};
    $plan->{runner} = SpawnMeter::Measure::Runner->new(
        read_instruments => sub { return $instruments->read_all },
        stopped          => $plan->{stopped},
        asked_to_pause   => $plan->{asked_to_pause},
    );
    my @before = POSIX::times();
    my $cost = SpawnMeter::Measure::Loop::measure({
        %{$plan},
        clock            => \&clock,
        oom_kills        => sub { return $instruments->oom_kills },
        binaries         => $suite->{binaries},
        testdir          => $suite->{testdir},
        pass_on          => $option->{pass_on},
        count            => $option->{count},
        target_arguments => $option->{target_arguments},
    });

    # Run's own CPU time, without that of the programs
    my @after = POSIX::times();
    $cost->{cpu} =
        ($after[1] + $after[2] - $before[1] - $before[2]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
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
        SpawnMeter::Store::RunFile::finish(
            $results,
            {
                %{$run},
                $run->{sweep} ? () : (results => SpawnMeter::Analysis::Results::results($run))
            }
        );
        SpawnMeter::Store::RunFile::write_file("$results->{path}$_", $file{$_}) for sort keys %file;
        1;
    };
    if    (!$stored)          { print {*STDERR} 'Run: NOT STORED: ', visible_lines($@) }
    elsif (!$option->{quiet}) { print {*STDERR} 'Stored: ', visible($results->{path}), "\n" }
    return 128 + $SIGNAL{$stopped} if defined $stopped;
    return $stored && $run->{complete} ? 0 : 1;
}

# The forms of a run: { '' => text, '.csv' => ... }
sub texts {
    my ($suite, $run, $score_by) = @_;
    my $option = $suite->{option};
    my %scored = (%{$run}, scored => blocks($run, $score_by));
    my $text = SpawnMeter::Report::Text->new(brief => $option->{brief});
    return (q{} => $text->header($run) . SpawnMeter::Analysis::AA::render($run))
        if ($run->{kind} || 'run') eq 'equals';
    return SpawnMeter::Command::Sweep::texts($suite, $run, $text->header($run)) if $run->{sweep};
    my %file = (
        q{}     => $text->render(\%scored),
        '.html' => SpawnMeter::Report::HTML->new->render(\%scored)
    );
    $file{'.csv'} = SpawnMeter::Report::CSV->new->render(\%scored)
        if $option->{csv} || lc($ENV{UB_OUTPUT_CSV} || q{}) eq 'true';
    return %file;
}

1;
