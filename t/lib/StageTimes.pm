# SPDX-License-Identifier: GPL-2.0-or-later
package StageTimes;

# A harness for prove that also prints how long the stage took and which files were the
# slowest, before prove's own closing lines.
#
#   STAGE=name STAGE_BEGAN=seconds since the epoch prove --harness StageTimes ...
#
# If STAGE_TIMES names a file, what earlier stages wrote there is printed, too.

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

sub summary {
    my ($self, $aggregate, @more) = @_;
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
