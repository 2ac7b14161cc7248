# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Trace;

# ./Run trace METHOD: the phases of one creation and the time of each.
#
#   run(suite) -> exit status
#   rendered(method, [ { name, p50, p90, p99 => microseconds; below 0: before the point that
#       it is counted from } ], { count, cpu => number or undef, options => [words] }) -> text

use strict;
use warnings;
use SpawnMeter::Catalog::Tests  qw(choose groups_of has_feature);
use SpawnMeter::Command::Output qw(finish_text);
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::Settings qw(options_of);
use SpawnMeter::Measure::Session  qw(alone placed_cpus);
use SpawnMeter::Report::Chart     qw(rows);
use SpawnMeter::Report::Curve     qw(table);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::Format  qw(bytes duration plain visible);
use SpawnMeter::Util::Process qw(output);

use constant COUNT => 10_000;                     # creations that are traced
my @PASSED_ON = qw(heap files libraries exec);    # options

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my $method = method($suite);
    alone($suite);
    my @programs = (qw(trace true-dynamic start-dynamic), $method);
    SpawnMeter::Measure::Build::build($suite, \@programs, sub { print {*STDERR} @_ });
    my %how_traced = (
        count   => $option->{count} || COUNT,
        cpu     => $option->{pin} ? placed_cpus($option->{pin})->{cpus}[0] : undef,
        options =>
            [ options_of(map { [ $_, $option->{$_} ] } grep { defined $option->{$_} } @PASSED_ON) ],
    );
    my ($status, $words) = traced($suite, $method, \%how_traced);

    if ($status != 0) {
        my $why = $words =~ /^(?:(?:ERROR|SKIP)[|])?([^\n]+)/ ? bytes(plain($1)) : 'no output';
        print {*STDERR} "Run: trace $method failed: $why\n";
        return 1;
    }
    my @phases = phases($words);
    my $text = rendered($method, \@phases, \%how_traced);
    return finish_text($suite, $text, page($method, @phases));
}

# -> the method that is named: a test of the group process
sub method {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my @methods = @{ groups_of($suite->{catalog})->{process} };
    my ($method) = @names;
    die "trace: needs one method, got '@names'; the methods are @methods\n"
        if @names != 1 || !grep { $_ eq $method } @methods;
    my ($test) = choose($suite->{catalog}, $method);
    die "trace $method: it runs no program, so it takes no --exec\n"
        if defined $suite->{option}{exec} && !has_feature($suite->{catalog}, $test, 'target');
    return $method;
}

# -> (status, what the program printed); it copies its target into a temporary folder
sub traced {
    my ($suite, $method, $how_traced) = @_;
    my @line = ("$suite->{binaries}/trace", @{ $how_traced->{options} });
    push @line, '--cpu', $how_traced->{cpu} if defined $how_traced->{cpu};
    push @line, '--method', $method, '--count', $how_traced->{count};
    my $tmp = SpawnMeter::Util::Cleanup::temporary($suite->{tmp});
    local %ENV = (%ENV, UB_BINDIR => $suite->{binaries}, UB_TMPDIR => "$tmp");
    return output(@line);
}

# -> the phases of lines PHASE|name|p50|p90|p99, in microseconds
sub phases {
    my ($words) = @_;
    my @phases;
    push @phases, { name => $1, p50 => $2, p90 => $3, p99 => $4 }
        while $words =~ /^PHASE[|]([^|\n]+)[|]([\d.-]+)[|]([\d.-]+)[|]([\d.-]+)$/mg;
    return @phases;
}

# ---- the page and the text ----

# -> page of Report::HTML
sub page {
    my ($method, @phases) = @_;
    my @rows = map { {
        name => $_->{name},
        text => duration($_->{p50}),
        bars => [ [ 0, $_->{p50}, 'k0' ] ]
    } } @phases;
    return {
        title   => "One $method takes $rows[-1]{text} here",
        about   => "The phases of one $method, and the time of each.",
        picture => rows(
            caption => 'Medians of the phases, which overlap.',
            rows    => \@rows,
            label   => \&duration,
            words   => 'Time; shorter is better',
            columns => [ 46, 16 ]
        ),
    };
}

sub rendered {
    my ($method, $phases, $how_traced) = @_;
    my $place =
        defined $how_traced->{cpu} ? "pinned to CPU $how_traced->{cpu}" : 'placed by the kernel';
    my @options = @{ $how_traced->{options} };
    my %p50 = map { $_->{name} => $_->{p50} } @{$phases};
    my $text = "Time of one $method by phase ($how_traced->{count} processes, $place)\n";
    $text .= 'With ' . visible("@options") . "\n" if @options;
    my @rows = [ q{}, qw(median p90 p99 share) ];
    for my $phase (@{$phases}) {
        my @us = @{$phase}{qw(p50 p90 p99)};

        # a phase that ended before its beginning has no share
        my $has_share = $us[0] >= 0 && $p50{total};
        my $share = $has_share ? sprintf('%.0f%%', 100 * $us[0] / $p50{total}) : q{-};
        push @rows, [ $phase->{name}, map({ duration($_) } @us), $share ];
    }
    return "$text\n" . table(undef, @rows) . <<"END";

The phases overlap where parent and child run in parallel, and each has its own
median, so they do not add up to the total.  A negative time: the phase ended
before the point that it is counted from.  What the kernel executes meanwhile:
./Run kernels IMAGE $method --functions $method
END
}

1;
