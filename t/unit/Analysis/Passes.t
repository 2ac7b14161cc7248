# SPDX-License-Identifier: GPL-2.0-or-later
# The passes that are marked as counting are those that the results are computed from.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use SpawnMeter::Analysis::Disturbance qw(judged);
use SpawnMeter::Analysis::Results     qw(results);
use SpawnMeter::Stats::Numbers        qw(median);
use SpawnMeter::Store::RunFile;

my $folder = scratch();
GoldenRuns::store($ROOT, "$folder");

sub of_file { my ($name) = @_; return SpawnMeter::Store::RunFile::load("$folder/$name.json") }

my $run = of_file('mixed');
my $judged = judged($run);
is(scalar @{$judged}, scalar @{ $run->{passes} }, 'every pass is judged');
is_deeply([ map { $_->{pass} } @{$judged} ], $run->{passes}, 'in the order of the run');
my @wrong;
for my $result (grep { defined $_->{rate} } @{ results($run) }) {
    my @counting =
        grep { $_->{counts} && $_->{pass}{test} eq $result->{test} }
        grep { $_->{pass}{copies} == $result->{copies} } @{$judged};
    push @wrong, "$result->{test} $result->{copies}"
        if @counting != $result->{used}
        || abs(median(map { $_->{pass}{rate} } @counting) - $result->{rate}) > 1e-9;
}
is("@wrong", q{}, 'their median is the result, test by test');
is(scalar(grep { @{ $_->{flags} } } @{$judged}), 7, 'the disturbed passes are flagged');
my ($failed) = grep { $_->{pass}{status} eq 'failed' } @{$judged};
is("$failed->{counts} @{ $failed->{flags} }", '0 ', 'a pass that failed does not count');
is($failed->{creations}, undef, 'and its creations are unknown');
is($judged->[0]{creations}, 425_000, 'creations of one copy');
is((grep { $_->{pass}{copies} == 2 } @{$judged})[0]{creations}, 850_000, 'of two copies');

# 9 passes of each value: all values together would be one cell with many outliers
my $sweep = judged(of_file('sweep-memory'));
is(scalar(grep { !$_->{counts} && $_->{pass}{status} eq 'ok' } @{$sweep}),
    0, 'a value of a sweep is a cell of its own');
done_testing;
