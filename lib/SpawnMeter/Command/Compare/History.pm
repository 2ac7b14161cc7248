# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Compare::History;

# ./Run compare --history: the runs of each machine over time.
#
#   run(suite, [machines], [messages about what could not be read]) -> exit status: 2 where
#       something could not be read

use strict;
use warnings;
use SpawnMeter::Analysis::History qw(histories);
use SpawnMeter::Command::Output   qw(print_report write_or_print);
use SpawnMeter::Report::HTML::Many::History;
use SpawnMeter::Report::History::Text;
use SpawnMeter::Util::Format qw(visible);

my @ELSEWHERE = qw(csv json markdown sort relative-to fail-if-slower with-stored);

sub run {
    my ($suite, $machines, $complaints) = @_;
    my $option = $suite->{option};
    my ($other) = grep { $option->{$_} } @ELSEWHERE;
    die "--history and --$other: give only one of them\n" if defined $other;
    my @undated = grep { !$_->{run}{started} } @{$machines};
    print {*STDERR} visible("Run: $_->{name}: left out: it does not say when it was measured"), "\n"
        for @undated;
    my $histories = histories(grep { ($_->{run}{kind} || q{}) ne 'ab' } @{$machines});
    die "compare --history: needs two runs of a machine, with their dates\n"
        if !grep { @{ $_->{runs} } > 1 } @{$histories};
    my $status = @{$complaints} || @undated ? 2 : 0;

    if ($option->{html}) {
        write_or_print($option->{to}, SpawnMeter::Report::HTML::Many::History::render($histories));
        return $status;
    }
    my $text = SpawnMeter::Report::History::Text::render($histories);
    if   (defined $option->{to}) { write_or_print($option->{to}, $text) }
    else                         { print_report($suite, $text) }
    return $status;
}

1;
