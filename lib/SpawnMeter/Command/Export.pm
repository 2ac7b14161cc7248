# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Export;

# ./Run export FORMAT [run ...]: prints stored runs in the formats of other tools, or writes
# them to a file.
#
#   run(suite) -> exit status: 1 where a line of a posted report could not be read

use strict;
use warnings;
use SpawnMeter::Analysis::Disturbance qw(judged);
use SpawnMeter::Analysis::Results     qw(is_of_tests);
use SpawnMeter::Analysis::Score       qw(blocks);
use SpawnMeter::Command::Output       qw(write_or_print);
use SpawnMeter::Command::Selection    qw(loaded);
use SpawnMeter::Report::Export;
use SpawnMeter::Store::Find;
use SpawnMeter::Util::Format qw(did_you_mean);

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, $format, @names) = @{ $option->{names} };
    my @formats = SpawnMeter::Report::Export::formats();
    die "export: needs a format: @formats\n" if !defined $format;
    die "export: ./Run show --$format RUN prints that\n" if $format =~ /^(?:csv|tidy|html)\z/;
    die "export: unknown format '$format'"
        . did_you_mean($format, \@formats, "the formats are @formats") . "\n"
        if !grep { $_ eq $format } @formats;
    my ($exports, $unread) = exports($suite, @names ? @names : 'latest');
    write_or_print($option->{to}, SpawnMeter::Report::Export::render($format, @{$exports}));
    return $unread ? 1 : 0;
}

# -> ([exports], number of lines that could not be read)
sub exports {
    my ($suite, @names) = @_;
    my (@exports, %times);
    my $unread = 0;
    for my $file (map { SpawnMeter::Store::Find::files($suite, $_) } @names) {
        my ($runs, $more) = loaded($suite, $file, thorough => 1);
        push @exports, @{$runs};
        $unread += $more;
    }
    for my $export (@exports) {
        my $run = $export->{run};
        $export->{passes} = judged($run);
        $export->{blocks} = is_of_tests($run) ? blocks($run, $export->{score_by}) : [];

        # two runs of one name would be one in a table
        my $time = ++$times{ $export->{name} };
        $export->{name} .= "#$time" if $time > 1;
    }
    return (\@exports, $unread);
}

1;
