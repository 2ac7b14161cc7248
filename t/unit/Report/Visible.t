# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use ReportInput                qw(result run block);
use SpawnMeter::Report::Escape qw(visible_run);

my $evil = "a\e[31m\nb";
my %texts = map { $_ => $evil } qw(test title category unit reason);
my $run = run(block(
    results => [ result(%texts) ],
    lost    => [ {%texts} ],
    tables  => [ { title => $evil, rows => [ result(%texts) ] } ]
));
my ($block) = @{ visible_run($run)->{scored} };
my @records = (@{ $block->{results} }, @{ $block->{lost} }, @{ $block->{tables}[0]{rows} });
is(scalar @records, 3, 'results, lost tests and rows of the index are kept');

for my $field (sort keys %texts) {
    is_deeply(
        [ map { $_->{$field} } @records ],
        [ map { 'a\x1b[31m\x0ab' } @records ],
        "$field is visible and one line"
    );
}
is($block->{tables}[0]{title}, 'a\x1b[31m\x0ab', 'the title of a table');
is($run->{scored}[0]{results}[0]{title}, $evil, 'the run itself is not changed');
done_testing;
