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
use Exporter 'import';
use SpawnMeter::Store::Import::Lines qw(text_lines);
use SpawnMeter::Store::Samples       qw(run_of_samples);

our @EXPORT_OK = qw(looks_like_output run_of_outputs);

sub looks_like_output {
    my ($text) = @_;
    return $text =~ /^[^|\n]*\bCOUNT[|]\d/m && $text !~ /Benchmark Run:|Benchmarks Index/;
}

sub run_of_outputs {
    my ($text, $tests, $file) = @_;
    my %test = map { $_->{name} => $_ } @{$tests};
    my $any = join q{|}, map { quotemeta } sort { length $b <=> length $a } keys %test;
    my $in_name = qr/(?<![[:alnum:]])($any)(?![[:alnum:]])/;
    my ($name, $version) = $file =~ m{([^/]*)\z} && "$1" =~ $in_name ? $1 : undef;
    my @starts;
    for my $line (text_lines($text)) {
        my ($key, $rest) = $line->{text} =~ /^([A-Z]+)[|](.+)/;
        if (!defined $key) {
            $name = $1 if $line->{text} =~ m{(?:^|[/ ])($any)(?: |$)};
            next;
        }
        ($name, $version) = ($1, $2) if "$key|$rest" =~ /^VERSION[|]($any)[|](\S+)/;
        push @starts, { name => $name, at => $line->{number} } if $key eq 'COUNT';
        $starts[-1]{text} .= "$line->{text}\n" if @starts && $key ne 'VERSION';
    }
    my $run =
        run_of_samples(join q{}, "SPAWNMETER-SAMPLES|1\n",
        (map { "TEST|$_|$test{$_}{title}|$test{$_}{category}\n" } sort keys %test),
        passes(@starts), "END|complete\n");
    my %started = map { $_->{test} => 1 } @{ $run->{passes} };
    @{ $run->{tests} } = grep { $started{ $_->{name} } } @{ $run->{tests} };
    delete @{$_}{qw(started ended)} for @{ $run->{blocks} };
    return {
        %{$run},
        suite      => defined $version ? "SpawnMeter $version" : 'UnixBench',
        name       => $file,
        conditions => ['Lines that programs printed, read from a text'],
    };
}

# As the samples of portable/run.sh (Store::Samples)
sub passes {
    my (@starts) = @_;
    my ($at, %round, @text) = (0);
    for my $start (@starts) {
        die "line $start->{at}: which test this COUNT is of is not known: keep its command, or name"
            . " the file as the test, such as fork.txt\n"
            if !defined $start->{name};
        my ($seconds) = $start->{text} =~ /^TIME[|]([\d.]+)$/m;
        die "line $start->{at}: this COUNT has no TIME line, and a count is not a rate\n"
            if !$seconds && $start->{text} !~ /^COUNT[|][^|]*[|]0[|]/;
        my $length = sprintf '%.6f', $seconds || 1;
        my $round = ++$round{ $start->{name} };
        push @text, "PASS|$start->{name}|1|$round|ok|$at|$length|$length\nCOPY|1\n$start->{text}";
        $at += $length;
    }
    return @text;
}

1;
