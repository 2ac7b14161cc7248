# SPDX-License-Identifier: GPL-2.0-or-later
# The published experiments with the real programs: each takes the options of its points.
# t/unit/Command/Published.t has the page.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Points qw(unmet);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Tests;

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};

subtest 'the programs take the options of each point' => sub {
    for my $experiment (SpawnMeter::Catalog::Experiments::list($ROOT)) {
        next if defined unmet($experiment->{needs}, { system => ucfirst $^O });
        my ($cells) = SpawnMeter::Catalog::Experiments::cells($experiment, $tests, 2);
        my @refused = map { refused($_) } grep { !defined $_->{skip} } @{$cells};
        is_deeply(\@refused, [], $experiment->{name});
    }
};

# What the program says instead of a count, or nothing; with small heaps and bursts
sub refused {
    my ($cell) = @_;
    my @options = map { s/\A\d+[GM]\z/1M/r } @{ $cell->{options} };
    for my $i (1 .. $#options) { $options[$i] = 2 if $options[ $i - 1 ] eq '--burst' }
    my $program = "$ROOT/pgms/" . ($cell->{static} ? 'static/' : q{}) . $cell->{program};
    return if $cell->{static} && !-x $program;
    my $got = command({}, $program, @options, '--count', 8, '--', @{ $cell->{arguments} });
    return if "$got->{out}$got->{err}" =~ /^(?:COUNT[|]\d|SKIP[|])/m;
    return "$cell->{value} $cell->{series}: $got->{err}";
}

done_testing;
