# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use ReportInput                   qw(reduced row pair);
use SpawnMeter::Analysis::Ranking qw(ranking);
use SpawnMeter::Report::HTML::Pair;

subtest 'many disturbed machines' => sub {
    my @runs = map { reduced("m$_", { fork => 9000 }) } 1 .. 20;
    $_->{cells}{'1 fork'}{disturbed} = 1 for @runs[ 0 .. 9 ];
    my %comparison = (runs => \@runs, pairs => [ map { pair(row()) } 2 .. @runs ]);
    my %ranking = (ranking => ranking(\%comparison));
    $_->{score} = { value => 10 - $_->{place}, points => [] }, $_->{copies} = 1
        for @{ $ranking{ranking}[0]{rows} };
    $ranking{ranking}[0]{tests} = ['fork'];
    my $page = SpawnMeter::Report::HTML::Pair::render({ %comparison, %ranking });
    like($page, qr{!,\s+some\s+were\s+disturbed[.]}, 'what the mark means');
    is(scalar(() = $page =~ m{^m\d+! }gm), 10, 'and marked');
    like($page, qr{<title>m\d+ is the fastest of 20 machines }, 'the title');
    is(scalar(() = $page =~ m{<figure}g), 1, 'a picture of the scores');
    like($page, qr{whose lines overlap can be}, 'what a line means');

    delete @{$_}{qw(half place)} for @{ $ranking{ranking}[0]{rows} };
    $page = SpawnMeter::Report::HTML::Pair::render({ %comparison, %ranking });
    unlike($page, qr{lines overlap}, 'nothing of lines where there are none');
};
done_testing;
