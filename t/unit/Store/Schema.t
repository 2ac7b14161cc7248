# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::Shape qw(problem_of_run);

my @COPIES = ({ count => 250, timebase => 1, time => 0.25, disturb => { nivcsw => 2 } });

sub pass_with {
    my (%with) = @_;
    return {
        test    => 'fork',
        copies  => 1,
        status  => 'ok',
        unit    => 'lps',
        rate    => 1000,
        wall    => 0.3,
        machine => { steal => 0 },
        results => \@COPIES,
        %with
    };
}

sub run_with {
    my (%with) = @_;
    return {
        suite    => '1',
        settings => { name        => 'settle', precision => 0.03 },
        system   => { cpus_online => 2 },
        tests    => [ { name   => 'fork', title => undef } ],
        blocks   => [ { copies => 1 } ],
        passes   => [ pass_with() ],
        %with
    };
}

sub copy_with { my (%with) = @_; return [ pass_with(results => [ { %{ $COPIES[0] }, %with } ]) ] }

my %SWEEP = (name => 's', title => 'S', axis => 'bytes', series => ['fork']);

subtest 'well-formed runs' => sub {
    is(problem_of_run(run_with()), undef, 'a run');
    my $sweep = run_with(sweep => { %SWEEP, values => [ 1, 'x' ], x => [ 1, undef ] });
    is(problem_of_run($sweep), undef, 'a sweep');
    my $failed = pass_with(status => 'failed', rate => undef, results => undef);
    is(problem_of_run(run_with(passes      => [$failed])), undef, 'a failed pass without a rate');
    is(problem_of_run(run_with(added_later => [ {} ])), undef, 'a field of a later version');
};

my %MALFORMED = (
    'run has no suite'                   => { suite   => undef },
    'run.options is not a list of texts' => { options => [ {} ] },
    'run.system is not a set of texts'   => { system  => [] },
    'run.kind is not a kind of run (run, equals, ab, kernels, sweep or imported)' =>
        { kind => 'x' },
    'system.cpus_online is not a number'         => { system => { cpus_online => 'two' } },
    'tests[0] has no name'                       => { tests  => [ {} ] },
    'blocks[1].copies is not a number of copies' =>
        { blocks => [ { copies => 1 }, { copies => "1\n" } ] },
    'sweep has no axis'                => { sweep => { %SWEEP, axis   => undef } },
    'sweep.x is not a list of numbers' => { sweep => { %SWEEP, values => [1], x => ['x'] } },
    'sweep.x and sweep.values have different lengths' =>
        { sweep => { %SWEEP, values => [1], x => [] } },
    'printed[0].rate is not a number above 0' =>
        { printed => [ { test => 'a', title => 'A', copies => 1, rate => 0 } ] },
    'passes[0] is not an object'                    => { passes => [5] },
    'passes[0].rate is not a number above 0'        => { passes => [ pass_with(rate => 'nan') ] },
    'passes[0].status is not ok, failed or skipped' =>
        { passes => [ pass_with(status => 'well') ] },
    'passes[0].copies is not a number of copies' =>
        { passes => [ pass_with(copies => "\x{0661}") ] },
    'passes[0].results[0].time is not a number above 0'    => { passes => copy_with(time => 0) },
    'passes[0].results[0].disturb is not a set of numbers' =>
        { passes => copy_with(disturb => { nivcsw => '1e999' }) },
    'passes[0].results[0].references is not a list of sets of numbers' =>
        { passes => copy_with(references => [ { loads => 'x' } ]) },
);
my %MALFORMED_COSTS = (
    'passes[0].results[0].cpu is not a list of four numbers'     => { cpu       => [ 1, 2 ] },
    'passes[0].results[0].latency is not a list of five numbers' => { latency   => 'x' },
    'passes[0].results[0].histogram is not a histogram'          => { histogram => '1:2;x' },
);

subtest 'malformed runs' => sub {
    for my $problem (sort keys %MALFORMED) {
        is(problem_of_run(run_with(%{ $MALFORMED{$problem} })), $problem, $problem);
    }
};

subtest 'malformed costs of a copy' => sub {
    for my $problem (sort keys %MALFORMED_COSTS) {
        my $run = run_with(passes => copy_with(%{ $MALFORMED_COSTS{$problem} }));
        is(problem_of_run($run), $problem, $problem);
    }
};

done_testing;
