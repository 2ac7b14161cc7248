# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::History;

# The runs of machines over time.  Pure functions.
#
#   histories([machines of Analysis::Comparison; host => name of the machine]) -> [ { name,
#       runs => [its machines in the order in which they were measured], tests => [test],
#       places => [ { at => number of the first run after a change of level, differences =>
#       facts that differ between it and the run before (Analysis::Fingerprint), changes =>
#       [change] } ] } ], by name.  Runs without a date are left out
#     a test: { copies, test, title, unit, ratio => of its last level to its first, points => [
#         { run => number, value, low, high } ], levels => [ { from, to => numbers of its
#         first and last run, value } ], changes => [change] }
#     a change: { test, copies, title, unit, at => number of a run, before => number of the run
#         of this test before it, old, new => levels, ratio, low, high => its 95 % interval,
#         p => probability of a change anywhere in the tests of this machine if there is none }
#
# Runs are of one machine where its name, architecture, CPU and hypervisor agree: kernel and
# build may change.  Those whose programs had other options are a history of their own, whose name
# has these.  A run counts by the trimmed mean of the logarithms of its passes
# (Analysis::TwoSamples), or by its rate where it has no passes.  Results of a busy machine are
# left out.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::ChangePoints qw(changes dependence_together);
use SpawnMeter::Analysis::Distribution qw(t_quantile);
use SpawnMeter::Analysis::Fingerprint  qw(differences hardware options);
use SpawnMeter::Analysis::Stats        qw(mean median);
use SpawnMeter::Analysis::TwoSamples   qw(center);

our @EXPORT_OK = qw(histories);

use constant OUTSIDE => 0.05;    # probability outside an interval

sub histories {
    my (@machines) = @_;
    my (%of, %names);
    push @{ $of{ join "\0", hardware($_), options_of($_) } }, $_
        for grep { $_->{run}{started} } @machines;
    my @histories;
    for my $key (sort keys %of) {
        my @runs =
            sort { $a->{run}{started} <=> $b->{run}{started} || $a->{name} cmp $b->{name} }
            @{ $of{$key} };
        my $name = defined $runs[0]{host} ? $runs[0]{host} : $runs[0]{name};
        my $options = options_of($runs[0]);
        $name .= " with $options" if $options ne q{};
        my $time = ++$names{$name};
        push @histories, history($time > 1 ? "$name#$time" : $name, @runs);
    }
    return [ sort { $a->{name} cmp $b->{name} } @histories ];
}

# Empty without any, and where they are unknown
sub options_of {
    my ($machine) = @_;
    my $options = options($machine->{run});
    return defined $options && $options ne 'none' ? $options : q{};
}

sub history {
    my ($name, @runs) = @_;
    my %cells;
    for my $i (0 .. $#runs) {
        my $of_run = $runs[$i]{cells};
        push @{ $cells{$_} }, { run => $i, cell => $of_run->{$_}, level => level_of($of_run->{$_}) }
            for grep { !defined $of_run->{$_}{busy} } keys %{$of_run};
    }
    my @series = map { [ map { $_->{level}{log} } @{$_} ] } @cells{ sort keys %cells };
    my %with = (tests => scalar @series, together => dependence_together(@series));
    my @tests = map { test(\%with, @{$_}) } values %cells;
    @tests = sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @tests;
    return { name => $name, runs => \@runs, tests => \@tests, places => places(\@runs, @tests) };
}

sub test {
    my ($with, @of) = @_;
    my @logs = map { $_->{level} } @of;
    my @errors = grep { defined } map { $_->{error} } @logs;
    my $changes =
        changes([ map { $_->{log} } @logs ], %{$with}, least => @errors ? median(@errors) : 0,);
    my $cell = $of[0]{cell};
    my %test = map { $_ => $cell->{$_} } qw(copies test title unit);
    my @starts = (0, (map { $_->{at} } @{$changes}), scalar @of);
    my @levels = map { part(\@logs, \@of, $starts[ $_ - 1 ], $starts[$_] - 1) } 1 .. $#starts;
    return {
        %test,
        ratio   => $levels[-1]{value} / $levels[0]{value},
        levels  => \@levels,
        changes => [
            map { { %test, %{ change(@levels[ $_, $_ + 1 ], $changes->[$_]{p}) } } }
                0 .. $#{$changes}
        ],
        points => [ map { point($_) } @of ],
    };
}

sub point {
    my ($of) = @_;
    my $cell = $of->{cell};
    return {
        run   => $of->{run},
        value => $cell->{rate},
        low   => $cell->{low},
        high  => $cell->{high}
    };
}

sub level_of {
    my ($cell) = @_;
    my $center = @{ $cell->{used} || [] } ? center($cell->{used}, $cell->{effective}) : undef;
    return $center || { log => log $cell->{rate} };
}

# A level from one of these runs to another
sub part {
    my ($logs, $of, $from, $to) = @_;
    my @logs = map { $_->{log} } @{$logs}[ $from .. $to ];
    return {
        from  => $of->[$from]{run},
        to    => $of->[$to]{run},
        value => exp(mean(@logs)),
        logs  => \@logs,
    };
}

# The interval is that of Welch (Biometrika 34, 1947)
sub change {
    my ($old, $new, $p) = @_;
    my ($error, $below) = (0, 0);
    for my $level ($old, $new) {
        my @logs = @{ $level->{logs} };
        my $mean = mean(@logs);
        my $variance = mean(map { ($_ - $mean)**2 } @logs) / (@logs - 1);
        $error += $variance;
        $below += $variance**2 / (@logs - 1);
    }
    my $degrees = $below > 0 ? $error**2 / $below : 1;
    my $width = $error > 0 ? sqrt($error) * t_quantile(OUTSIDE, sprintf '%.1f', $degrees) : 0;
    my $ratio = $new->{value} / $old->{value};
    return {
        at     => $new->{from},
        before => $old->{to},
        old    => $old->{value},
        new    => $new->{value},
        ratio  => $ratio,
        low    => $ratio * exp(-$width),
        high   => $ratio * exp($width),
        p      => $p,
    };
}

sub places {
    my ($runs, @tests) = @_;
    my %at;
    push @{ $at{ $_->{at} } }, $_ for map { @{ $_->{changes} } } @tests;
    return [
        map { {
            at          => $_ + 0,
            changes     => $at{$_},
            differences => scalar differences($runs->[ $_ - 1 ], $runs->[$_]),
        } } sort { $a <=> $b } keys %at
    ];
}

1;
