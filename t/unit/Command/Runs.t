# SPDX-License-Identifier: GPL-2.0-or-later
# The list of stored runs.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Command::Runs;

my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };
my %RUN = (name => 'a', kind => 'run', tests => 8, complete => 1, machine => 'm');

sub entry {
    my (@scores) = @_;
    return SpawnMeter::Command::Runs::entry({ %RUN, scores => \@scores });
}
like(
    entry({ copies => 1, title => 'System Benchmarks', score => 951.21, partial => 1 }),
    qr/^    1 copy: System 951[.]2 \(partial\)$/m,
    'an index score'
);
like(
    entry(map { { copies => $_, title => undef, score => 300.2 } } 1, 2),
    qr/^    1 copy: final score 300[.]2; 2 copies: final score 300[.]2$/m,
    'the score of a table of 4.1, which has no title'
);
is_deeply(\@warnings, [], 'no warnings');
done_testing;
