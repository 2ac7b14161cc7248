# SPDX-License-Identifier: GPL-2.0-or-later
package Simulation;

# Simulated runs with a known truth, through the modules that measure and report.
#
#   noises() -> names of the kinds of noise, in order
#   measured(noise => name, spread => standard deviation as a share of the rate, tests =>
#       number, passes => number of each, or undef for the adaptive stop, random =>
#       SpawnMeter::Util::Random, level => standard deviation of the run's own level,
#       factor => of the true rates, precision => share) -> run, as results() takes it, with
#       { truth => { test => rate }, second => { test => the other truth }, settled => { test
#       => as the schedule has it } } in its field simulated
#   normal(random) -> a number
#   recorded(path of a file of t/recorded) -> (runs)
#   scaled(run, factor, copies and test, or nothing for all) -> run, with rates times that
#   describe(noise) -> its words, with the truth that is meant

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Measure::Schedule;

our @EXPORT_OK = qw(noises measured normal describe recorded scaled);

use constant {
    RATE      => 1000,        # per second
    WALL      => 0.285,       # seconds of a pass with everything
    MAX_TIME  => 10,          # seconds of a test
    PASSES    => 35,          # that fit into it
    PRECISION => 0.03,
    MILLION   => 1_000_000,
};

sub uniform { my ($random) = @_; return ($random->below(MILLION) + 0.5) / MILLION }

# By Box and Muller
sub normal {
    my ($random) = @_;
    my $angle = 8 * atan2(1, 1) * uniform($random);
    return sqrt(-2 * log uniform($random)) * cos $angle;
}

sub ar1 {
    my ($memory) = @_;
    return sub {
        my ($random) = @_;
        my $noise = normal($random);
        return sub {
            my $now = $noise;
            $noise = $memory * $noise + sqrt(1 - $memory**2) * normal($random);
            return $now;
        };
    };
}

sub independent {
    my ($draw) = @_;
    return sub {
        my ($random) = @_;
        return sub { return $draw->($random) }
    };
}

# One period in the passes that fit into a run, and as much independent noise
my %phase;

sub sine {
    my ($random, $test) = @_;
    my $phase = $phase{$test} = uniform($random);
    return sub {
        my ($number) = @_;
        my $angle = 8 * atan2(1, 1) * ($phase + $number / PASSES);
        return sin($angle) + normal($random) / sqrt 2;
    };
}

# Its mean over so many passes
sub sine_level {
    my ($test, $passes) = @_;
    my $sum = 0;
    $sum += sin(8 * atan2(1, 1) * ($phase{$test} + $_ / PASSES)) for 0 .. $passes - 1;
    return $sum / $passes;
}

# Student's t with 3 degrees of freedom, scaled to a standard deviation of 1
sub heavy_tailed {
    my ($random) = @_;
    my $squares = 0;
    $squares += normal($random)**2 for 1 .. 3;
    return normal($random) / sqrt $squares;
}

# Two levels, so many standard deviations of a level apart, the spread being that of a level
sub two_levels {
    my ($apart, $share) = @_;
    return independent(sub {
        my ($random) = @_;
        return normal($random) + $apart * (uniform($random) < $share ? -0.5 : 0.5);
    });
}

# Half of the variance is a drift that all tests of a run have in common
my ($drift, @drifted);

sub common_drift {
    my ($random, $test) = @_;
    ($drift, @drifted) = ar1(0.8)->($random) if $test == 0;
    return sub {
        my ($number) = @_;
        push @drifted, $drift->() while @drifted <= $number;
        return sqrt(0.5) * ($drifted[$number] + normal($random));
    };
}

# words: with the truth that is meant; draw: sub (random, number of the test) -> sub (number
# of the pass) -> a value whose standard deviation is 1; median: of these values
my @NOISES = (
    { name => 'normal', words => 'independent, normal; the median', draw => independent(\&normal) },
    {
        name  => 'skewed',
        words => 'independent delays, exponential; the median',
        draw  => independent(sub { return log(2) + log uniform($_[0]) }),
    },
    {
        name  => 'heavy',
        words => 'independent, Student\'s t with 3 degrees; the median',
        draw  => independent(\&heavy_tailed),
    },
    {
        name  => 'sine',
        words => 'a sine of one period a run, and noise; its mean over the period',
        draw  => \&sine,
        level => \&sine_level,
    },
    { name => 'ar0.3', words => 'AR(1), 0.3; the median', draw => ar1(0.3) },
    { name => 'ar0.5', words => 'AR(1), 0.5; the median', draw => ar1(0.5) },
    { name => 'ar0.7', words => 'AR(1), 0.7; the median', draw => ar1(0.7) },
    {
        name  => 'common',
        words => 'half drift of all tests, AR(1) 0.8; the median',
        draw  => \&common_drift
    },
    {
        name   => '60:40',
        words  => 'two levels, 60:40, 5 standard deviations apart; the median',
        draw   => two_levels(5, 0.6),
        median => -2.5 + 0.967422,    # of a normal distribution the quantile 0.5 / 0.6
    },
    {
        name  => '50:50',
        words => 'two levels, 50:50, 5 standard deviations apart; -',
        draw  => two_levels(5, 0.5)
    },
    {
        name   => '60:40, 4',
        words  => 'two levels, 60:40, 4 standard deviations apart; the median',
        draw   => two_levels(4, 0.6),
        median => -2 + 0.967422,
    },
    {
        name  => '50:50, 4',
        words => 'two levels, 50:50, 4 standard deviations apart; -',
        draw  => two_levels(4, 0.5)
    },
);
my %NOISE = map { $_->{name} => $_ } @NOISES;

sub noises {
    return map { $_->{name} } @NOISES;
}

sub describe { my ($name) = @_; return $NOISE{$name}{words} }

sub measured {
    my (%with) = @_;
    my ($random, $noise) = ($with{random}, $NOISE{ $with{noise} });
    my %test;
    for my $number (0 .. $with{tests} - 1) {
        my $level = ($with{factor} || 1) * exp(($with{level} || 0) * normal($random));
        $test{"test$number"} = { level => $level, draw => $noise->{draw}->($random, $number) };
    }
    my $schedule = SpawnMeter::Measure::Schedule->new(
        cells     => [ map { { name => $_ } } sort keys %test ],
        protocol  => $with{passes} ? 'quick' : 'settle',
        precision => $with{precision} || PRECISION,
        max_time  => sub { return $with{passes} ? 2 * $with{passes} : MAX_TIME },
        limit     => $with{passes},
        seed      => 1 + $random->below(MILLION),
    );
    my $passes = passes($schedule, \%test, $with{spread});
    my $median = $noise->{median} || 0;
    return {
        protocol  => { name => 'settle', precision => $with{precision} || PRECISION },
        suite     => 'simulated',
        system    => {},
        tests     => [ map { { name => $_, title => $_ } } sort keys %test ],
        blocks    => [ { copies => 1 } ],
        passes    => $passes,
        simulated => {
            truth =>
                { map { $_ => RATE * $test{$_}{level} * exp($with{spread} * $median) } keys %test },
            level   => $noise->{level} ? levels_measured($noise, $schedule, $with{spread}) : {},
            settled => { map { $_->{cell}{name} => $_->{settled} } @{ $schedule->{states} } },
        },
    };
}

# Where the noise has a level that moves: its mean while each test was measured
sub levels_measured {
    my ($noise, $schedule, $spread) = @_;
    my %level;
    for my $state (@{ $schedule->{states} }) {
        my ($number) = $state->{cell}{name} =~ /(\d+)/;
        my $mean = $noise->{level}->($number, scalar @{ $state->{passes} });
        $level{ $state->{cell}{name} } = RATE * exp($spread * $mean);
    }
    return \%level;
}

sub passes {
    my ($schedule, $tests, $spread) = @_;
    my ($at, @passes) = (0);
    while (my $state = $schedule->next_pass) {
        my $name = $state->{cell}{name};
        my $test = $tests->{$name};
        $at += WALL;
        my %pass = (
            test   => $name,
            copies => 1,
            status => 'ok',
            unit   => 'lps',
            wall   => WALL,
            at     => $at,
            rate   => RATE *
                $test->{level} *
                exp($spread * $test->{draw}->(scalar @{ $state->{passes} })),
            results => [],
            machine => {},
        );
        push @passes, \%pass;
        $schedule->record($state, \%pass);
    }
    return \@passes;
}

# Lines: run,copies,test,at,rate
sub recorded {
    my ($path) = @_;
    my %run;
    open my $in, '<', $path or die "$path: $!\n";
    while (my $line = <$in>) {
        next if $line !~ /^(\d+),(\d+),(\w+),([\d.]+),([\d.]+)$/;
        push @{ $run{$1} },
            {
            copies  => $2,
            test    => $3,
            at      => $4,
            rate    => $5,
            status  => 'ok',
            unit    => 'lps',
            wall    => WALL,
            results => [],
            machine => {},
            };
    }
    close $in or die "$path: $!\n";
    return map { {
        protocol => { name => 'settle', precision => PRECISION },
        suite    => 'recorded',
        system   => { hypervisor => 'yes' },
        tests    => [],
        blocks   => [ { copies => 1 }, { copies => 2 } ],
        passes   => $run{$_},
    } } sort keys %run;
}

sub scaled {
    my ($run, $factor, $copies, $test) = @_;
    my @passes = map {
        my $this = !defined $test || $_->{test} eq $test && $_->{copies} == $copies;
        +{ %{$_}, rate => $_->{rate} * ($this ? $factor : 1) };
    } @{ $run->{passes} };
    return { %{$run}, passes => \@passes };
}

1;
