# SPDX-License-Identifier: GPL-2.0-or-later
package StageTimes;

# A harness for prove that also prints how long the stage took and which files were the
# slowest, before prove's own closing lines.
#
#   STAGE=name STAGE_BEGAN=seconds since the epoch prove --harness StageTimes ...
#
# If STAGE_TIMES names a file, what earlier stages wrote there is printed, too; if FAULT_TABLE
# does, the rows of injected faults in it, and their sums.

use strict;
use warnings;
use parent 'TAP::Harness';

use constant SLOWEST => 10;

# "seconds kind name" lines; kind is stage or file
sub lines_of {
    my ($aggregate) = @_;
    my @lines = map {
        my ($parser) = $aggregate->parsers($_);
        sprintf "%7.1f file %s\n", $parser->end_time - $parser->start_time, $_;
    } $aggregate->descriptions;
    my $began = $ENV{STAGE_BEGAN} || $^T;
    return (sprintf("%7.1f stage %s\n", time - $began, $ENV{STAGE} || 'prove'), @lines);
}

# What was injected, how often, and what was lost and left
sub fault_table {
    my ($path) = @_;
    open my $file, '<', $path or return q{};
    my @rows = sort <$file>;
    my @sum = (0) x 4;
    for my $row (@rows) {
        my @counts = (split q{ }, $row)[ -4 .. -1 ];
        $sum[$_] += $counts[$_] for 0 .. $#sum;
    }
    return join q{}, sprintf("%-64s %5s %5s %9s %6s\n", qw(fault times lost processes files)),
        @rows, sprintf "%-64s %5d %5d %9d %6d\n", 'all', @sum;
}

sub summary {
    my ($self, $aggregate, @more) = @_;
    print fault_table($ENV{FAULT_TABLE}) if $ENV{FAULT_TABLE};
    my @lines = lines_of($aggregate);
    if (my $path = $ENV{STAGE_TIMES}) {
        open my $file, '+>>', $path or die "$path: $!\n";
        print {$file} @lines;
        seek $file, 0, 0;
        @lines = <$file>;
        close $file or die "$path: $!\n";
    }
    my @files = reverse sort grep { / file / } @lines;
    splice @files, SLOWEST if @files > SLOWEST;
    print "Times in s:\n", (grep { / stage / } @lines), "The slowest files:\n", @files;
    return $self->SUPER::summary($aggregate, @more);
}

1;
