# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Invocation;

# How the test programs are started.  Their command lines are made here alone: the options that the
# user gives, those of the pass, and those of each copy.
#
#   options_of([name, value; undef where it has none], ...) -> words of the command line.  Programs
#       run in another folder, so that a path becomes absolute
#   invocation(plan, cell, seconds of the pass) -> what SpawnMeter::Measure::Runner::run takes
#   in_turns(seconds of a turn, two invocations of one copy, handles: two to read, two to write) ->
#       one of both programs, which hand on the turn by these
#   of_copy(invocation, number of the copy from 0, handles of the gate or none) -> what
#       SpawnMeter::Util::Process::start takes

use strict;
use warnings;
use Exporter 'import';
use File::Spec                    ();
use List::Util                    qw(first sum);
use SpawnMeter::Measure::Settings qw(pauses_of pinned reference_of warmup_of);

our @EXPORT_OK = qw(in_turns invocation of_copy options_of);

use constant {
    COUNT_TIMEOUT  => 3600,    # seconds of a pass with --count
    TIMEOUT_FACTOR => 2,       # time-out of other passes: so many times their length,
    TIMEOUT_MORE   => 30,      # and so many seconds more,
    TIMEOUT_COPY   => 0.06,    # and these for each further copy, to start it
};

sub options_of {
    my (@given) = @_;
    my @words;
    for my $option (@given) {
        my ($name, $value) = @{$option};
        $value = File::Spec->rel2abs($value) if $name eq 'exec' && $value =~ m{/};
        $value =~ s{([^,+]*[^\d,+][^,+]*)}{File::Spec->rel2abs($1)}ge if $name eq 'seccomp';
        $value =~ s{(,file=)([^,]+)}{$1 . File::Spec->rel2abs($2)}e if $name eq 'heap';
        push @words, "--$name", $value // ();
    }
    return @words;
}

sub invocation {
    my ($plan, $cell, $seconds) = @_;
    my $counted = $plan->{settings}{counted};
    my $timeout = $seconds * TIMEOUT_FACTOR + TIMEOUT_MORE + TIMEOUT_COPY * ($cell->{copies} - 1);
    return {
        copies  => $cell->{copies},
        timeout => $counted ? COUNT_TIMEOUT : $timeout,
        log     => $plan->{log},
        $cell->{tree} ? of_tree(@_) : of_program(@_),
    };
}

sub of_program {
    my ($plan, $cell, $seconds) = @_;
    my $suite = $plan->{suite};
    my $side = $cell->{of_side} || {};
    my $folder = $side->{programs} // $suite->{binaries};
    $folder .= '/static' if $cell->{static};    # execl executes what is in UB_BINDIR
    return (
        wrap        => $side->{wrap},
        program     => "$folder/$cell->{program}",
        arguments   => [ arguments($plan, $cell, $seconds) ],
        gate        => $side->{gated} // 1,
        pin         => pinned($plan, $cell) ? $plan->{cpus} : undef,
        folder      => $suite->{testdir},
        environment => { %{ $cell->{environment} || {} }, UB_BINDIR => $folder },
    );
}

# The programs of a classic tree take whole seconds and have no gate
sub of_tree {
    my ($plan, $cell, $seconds) = @_;
    my $tree = $plan->{tree};
    my $whole = int($seconds + 0.999) || 1;
    my %folders = (UB_BINDIR => "$tree/pgms", UB_TESTDIR => "$tree/testdir");
    return (
        program     => "$tree/pgms/$cell->{program}",
        arguments   => [ map { $_ eq 'SECONDS' ? $whole : $_ } @{ $cell->{options} } ],
        gate        => 0,
        folder      => "$tree/testdir",
        environment => { %folders, %{ $cell->{environment} } },
        input       => defined $cell->{input} ? "$tree/testdir/$cell->{input}" : undef,
    );
}

sub arguments {
    my ($plan, $cell, $seconds) = @_;
    my ($settings, $option) = ($plan->{settings}, $plan->{suite}{option});
    my @of_side = @{ ($cell->{of_side} || {})->{options} || [] };
    my $end = first { $of_side[$_] eq q{--} } 0 .. $#of_side;
    my (undef, @of_target) = splice @of_side, $end // @of_side;
    my @words = (@{ $cell->{options} }, @{ $option->{pass_on} }, @of_side);
    push @words, @{ $cell->{classic}{options} } if $settings->{name} eq 'classic';
    push @words, '--count', $cell->{count} if $cell->{count};

    # without seconds, --count alone ends a pass
    push @words, '--warmup', warmup_of($plan, $cell),
        $settings->{counted} || $cell->{count} ? () : $seconds;
    my $reference = reference_of($plan, $cell, $seconds);
    push @words, '--reference', $reference if $reference;
    my $pauses = pauses_of($plan, $cell, $seconds);
    push @words, '--pauses', $pauses if $pauses;
    my ($target) = grep { @{$_} } \@of_target, $option->{target_arguments}, $cell->{arguments};
    push @words, q{--}, @{$target} if $target;
    return @words;
}

sub in_turns {
    my ($turn, $invocations, $in, $out) = @_;
    my @each = map {
        my $own = $invocations->[$_];
        my $handles = join q{,}, fileno $in->[$_], fileno $out->[$_];
        +{
            %{$own},
            arguments => [ '--turns', $handles, '--pauses', $turn, @{ $own->{arguments} } ],
            pin       => $own->{pin} ? [ $own->{pin}[0] ] : undef,
            keep      => [ $in->[$_], $out->[$_] ],
        }
    } 0, 1;
    my $timeout = sum(map { $_->{timeout} } @{$invocations});
    return { %{ $invocations->[0] }, copies => 2, timeout => $timeout, each => \@each };
}

sub of_copy {
    my ($of_all, $i, @gate) = @_;
    my $own = $of_all->{each} ? $of_all->{each}[$i] : $of_all;
    my @options;
    push @options, '--gate', join q{,}, map { fileno $_ } @gate if @gate;
    push @options, '--cpu', $own->{pin}[ $i % @{ $own->{pin} } ] if $own->{pin};
    return {
        (map { $_ => $own->{$_} } qw(folder log environment input)),
        line => [ @{ $own->{wrap} || [] }, $own->{program}, @options, @{ $own->{arguments} } ],
        keep => [ @gate, @{ $own->{keep} || [] } ],
    };
}

1;
