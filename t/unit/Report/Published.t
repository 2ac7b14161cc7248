# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Analysis::Published         qw(figures_beside);
use SpawnMeter::Analysis::Published::Claims qw(judged);
use SpawnMeter::Analysis::Published::Sides  qw(sides);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Published::Claim qw(measures);
use SpawnMeter::Report::Published;
use SpawnMeter::Report::Published::Table qw(tables);
use SpawnMeter::Util::Json               qw(decode);

# A run in which nothing was measured
my $experiment = SpawnMeter::Catalog::Published::named($ROOT, 'tlpi-28-3');
my @references =
    map { decode(slurp_file("$ROOT/results/reference/$_.json")) } @{ $experiment->{references} };
my %run = (
    protocol => { slice  => 0.25 },
    sweep    => { series => ['fork'], values => ['base'] },
    passes   => [],
    notes    => ["one\ntwo\e"],
    complete => 0
);
my $figures = figures_beside($experiment->{form}, \%run, @references);
my $text = SpawnMeter::Report::Published::text(
    $experiment, \%run, { points => {} },
    parts   => sides($experiment, \%run, {}),
    figures => $figures,
    claims  => judged($experiment, \%run, {}, sub { return }),
);
like($text, qr/^\Q$experiment->{title}\E$/m, 'the title');
like($text, qr/^fork\(\) (?: +not measured){3}$/m, 'cells that were not measured');
like($text, qr/^fork\(\) +22\.27 +\(7\.99\) +4544 /m, 'the published figures');
like($text, qr/^  fork\(\) takes longer the larger the process +not possible here$/m, 'a claim');
like($text, qr/^one\ntwo\\x1b$/m, 'notes are lines without control characters');
like($text, qr/^fork, base: not measured\nINCOMPLETE: unknown$/m, 'what is missing');
ok(!(grep { length > 80 } split /\n/, $text), 'no line is wider than 80 columns');

for my $measure (measures()) {
    my %part = (
        title   => 'Part',
        measure => $measure,
        rows    => [ { series => 'fork', label => '1', published => {} } ]
    );
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    like(tables({ machines => [] }, [ \%part ]), qr/^Part: \w/m, "$measure has words");
    is("@warnings", q{}, "$measure: without a warning");
}
done_testing;
