# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Posted;

# The page of ./Run rank: posted machines by the family of their CPU and by years, and a run among
# them.
#
#   page(title, name of the run, [machines of it], [posted machines], text of the report) -> HTML;
#       machines are those of Catalog::Machines

use strict;
use warnings;
use List::Util                     qw(first);
use SpawnMeter::Report::Chart      qw(rows);
use SpawnMeter::Report::HTML::Page qw(heading preformatted);
use SpawnMeter::Stats::Numbers     qw(median);
use SpawnMeter::Util::Format       qw(rate);

use constant { YEARS => 5, MOST => 1e3 };    # years of a row; rates below it have no k

my @FAMILIES = (
    [ Xeon        => qr/xeon/i ],
    [ EPYC        => qr/epyc/i ],
    [ Arm         => qr/\barm|cortex|neoverse|graviton|ampere|apple|raspberry|aarch64/i ],
    [ 'other AMD' => qr/amd|ryzen|opteron|athlon|phenom/i ],
    [ 'other x86' => qr/intel|celeron|pentium|atom|\bi\d\b|x86|i\d86|amd64/i ],
    [ others      => qr/^/ ],
);
my @BLOCKS = (
    [ '1 copy'             => sub { $_[0]{copies} eq '1' } ],
    [ 'A copy on each CPU' => sub { $_[0]{copies} > 1 && $_[0]{copies} eq $_[0]{cpus} } ],
);

sub page {
    my ($title, $name, $own, $posted, $text) = @_;
    my $about = 'A grey dot is a machine that somebody posted, a ring the median of its row.';
    my $html = heading($title, $about, []);
    for my $block (@BLOCKS) {
        my ($words, $belongs) = @{$block};
        my @machines = map { [ grep { $belongs->($_) } @{$_} ] } $own, $posted;
        $html .= picture("$words, $_", $_, $name, @machines) for qw(execl spawn);
    }
    return SpawnMeter::Report::HTML::Page::page($title, $about, $html . preformatted($text));
}

sub picture {
    my ($caption, $test, $name, $own, $posted) = @_;
    my @known = grep { defined $_->{rates}{$test} } @{$posted} or return q{};
    my @rows = map { {
        name  => $name,
        value => $_->{rates}{$test},
        text  => rate($_->{rates}{$test}, 'lps'),
        class => 'k1'
    } } grep { defined $_->{rates}{$test} } @{$own};
    my %of;
    push @{ $of{ row_of($_) } }, $_->{rates}{$test} for @known;
    for my $row (sort keys %of) {
        my %shown = (name => $row =~ s/^\d+ //r, behind => $of{$row}, hollow => 1, class => 'none');
        my $count = @{ $of{$row} } == 1 ? '1 machine' : @{ $of{$row} } . ' machines';
        push @rows, { %shown, value => median(@{ $of{$row} }), text => $count };
    }
    return rows(
        caption => "$caption: creations per second; to the right: faster.",
        rows    => \@rows,
        label   => sub { $_[0] < MOST ? $_[0] : $_[0] / MOST . 'k' },
        columns => [ 34, 20 ],
    );
}

# "1 EPYC 2021-2025"; the number is for the order
sub row_of {
    my ($machine) = @_;
    my $what = "$machine->{cpu} $machine->{arch}";
    my $i = first { $what =~ $FAMILIES[$_][1] } 0 .. $#FAMILIES;
    my $years = 'year unknown';
    if ($machine->{year} =~ /^\d+\z/a) {
        my $end = YEARS * int(($machine->{year} + YEARS - 1) / YEARS);
        $years = $end - YEARS + 1 . "-$end";
    }
    return "$i $FAMILIES[$i][0] $years";
}

1;
