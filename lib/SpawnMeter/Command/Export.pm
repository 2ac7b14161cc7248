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

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, $format, @names) = @{ $option->{names} };
    my @formats = SpawnMeter::Report::Export::formats();
    die "export: needs a format: @formats\n" if !defined $format;
    die "export: ./Run show --$format RUN prints that\n" if $format =~ /^(?:csv|tidy|html)\z/;
    die "export: unknown format '$format'; the formats are @formats\n"
        if !grep { $_ eq $format } @formats;
    my @files = map { SpawnMeter::Store::Find::files($suite, $_) } @names ? @names : 'latest';
    my ($exports, $unread) = loaded($suite, \@files, thorough => 1);

    for my $export (@{$exports}) {
        my $run = $export->{run};
        $export->{passes} = judged($run);
        $export->{blocks} = is_of_tests($run) ? blocks($run, $export->{score_by}) : [];
    }
    number(@{$exports});
    write_or_print($option->{to}, SpawnMeter::Report::Export::render($format, @{$exports}));
    return $unread ? 1 : 0;
}

# Two runs of one name would be one in a table
sub number {
    my (@exports) = @_;
    my %times;
    for my $export (@exports) {
        my $time = ++$times{ $export->{name} };
        $export->{name} .= "#$time" if $time > 1;
    }
    return;
}

1;
