# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Outputs;

# What test programs print (pgms/fork 10 >board.txt), in a file, a log or a post: each start is a
# pass.  Pure functions.
#
#   looks_like_output(text) -> true where it has such lines and none of a report
#   run_of_outputs(text, [tests of the catalog], name of its file) -> run, as a plain hash; dies
#       with the number of a line and the reason.  The test of a start stands in its VERSION line,
#       else in the command before it, else in the name of the file

use strict;
use warnings;
use SpawnMeter::Store::Import::Lines qw(text_lines);
use SpawnMeter::Store::Import::Words qw(titles);
use SpawnMeter::Store::Samples       qw(run_of_samples);

use constant UNKNOWN => 'which test this COUNT is of is not known: keep its command, or name the'
    . ' file as the test, such as fork.txt';

sub looks_like_output {
    my ($text) = @_;
    return $text =~ /^[^|\n]*\bCOUNT[|]\d/m && $text !~ /Benchmark Run:|Benchmarks Index/;
}

sub run_of_outputs {
    my ($text, $tests, $file) = @_;
    my $named = titles($tests)->{named};
    my $any = join q{|}, map { quotemeta } sort { length $b <=> length $a } keys %{$named};
    my ($name) = $file =~ m{(?<![[:alnum:]])($any)(?![[:alnum:]])[^/]*\z};
    my ($version, @starts);
    for my $line (text_lines($text)) {
        $name = $1 if $line->{text} =~ m{^(?!\w+[|])(?:.*[/ ])?($any)(?: |$)};
        push @starts, { test => $name, at => $line->{number} } if $line->{text} =~ /^COUNT[|]/;
        $starts[-1]{text} .= "$line->{text}\n" if @starts && $line->{text} =~ /^[A-Z]+[|]./;
    }
    for my $start (@starts) {
        ($start->{test}, $version) = ($1, $2) if $start->{text} =~ /^VERSION[|]($any)[|](.+)/m;
    }
    my $run = run_of_samples(samples($named, @starts));
    delete @{$_}{qw(started ended)} for @{ $run->{blocks} };
    return {
        %{$run},
        suite      => defined $version ? "SpawnMeter $version" : 'UnixBench',
        name       => $file,
        conditions => ['Lines that programs printed, read from a text'],
    };
}

# The starts as a file of portable/run.sh has them (Store::Samples)
sub samples {
    my ($named, @starts) = @_;
    my ($at, %round, @passes) = (0);
    for my $start (@starts) {
        my $test = $start->{test} // die "line $start->{at}: ", UNKNOWN, "\n";
        my ($seconds) = $start->{text} =~ /^TIME[|]([\d.]+)$/m;
        die "line $start->{at}: this COUNT has no TIME line, and a count is not a rate\n"
            if !$seconds && $start->{text} !~ /^COUNT[|][^|]*[|]0[|]/;
        my $length = sprintf '%.6f', $seconds || 1;
        my @pass = ($test, 1, ++$round{$test}, 'ok', $at += $length, $length, $length);
        push @passes, join(q{|}, 'PASS', @pass) . "\nCOPY|1\n$start->{text}";
    }
    my @tests = map { "TEST|$_|$named->{$_}{title}|\n" } sort keys %round;
    return join q{}, "SPAWNMETER-SAMPLES|1\n", @tests, @passes, "END|complete\n";
}

1;
