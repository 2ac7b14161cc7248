package SpawnMeter::Report::CSV;

# render(run with blocks) -> CSV.  Its first columns are the classic suite's:
# Concurrency, then the result of every test, a row for each number of copies.
# To their right, for every test, the interval, the best pass, the CPU time of a
# creation, the percentiles of its latency, and how many passes were flagged.

use strict;
use warnings;
use SpawnMeter::Report::Visible qw(visible_run);

my @NAMES = qw(p50 p90 p99 p99.9 max);
my @MORE = (
    [
        'plus/minus %',
        sub { defined $_[0]{plus_minus} ? sprintf '%.2f', 100 * $_[0]{plus_minus} : undef }
    ],
    [ 'best pass', sub { defined $_[0]{floor} ? sprintf '%.1f', $_[0]{floor} : undef } ],
    [ 'CPU us', sub { defined $_[0]{cpu_us} ? sprintf '%.2f', $_[0]{cpu_us} : undef } ],
    (
        map {
            my $i = $_;
            [ "$NAMES[$i] us", sub { $_[0]{latency} ? sprintf '%.2f', $_[0]{latency}[$i] : undef } ]
        } 0 .. 4
    ),
    [ 'passes', sub { $_[0]{passes} } ],
    [ 'flagged', sub { $_[0]{flagged} } ],
);

sub new { my ($class) = @_; return bless {}, $class }

sub field {
    my ($text) = @_;
    return q{} if !defined $text;
    return $text if $text !~ /[",\r\n]/;
    $text =~ s/"/""/g;
    return qq{"$text"};
}

sub render {
    my ($self, $scored) = @_;
    my $run = visible_run($scored);
    my %seen;
    my @titles = sort grep { !$seen{$_}++ }
        map { $_->{title} } map { @{ $_->{results} } } @{ $run->{scored} };
    my @rows = [
        'Concurrency',
        @titles,
        map {
            my $t = $_;
            map { "$t $_->[0]" } @MORE
        } @titles
    ];
    for my $block (@{ $run->{scored} }) {
        my %of = map { $_->{title} => $_ } @{ $block->{results} };
        push @rows, [
            $block->{copies},
            (map { $of{$_} ? sprintf '%.1f', $of{$_}{rate} : undef } @titles),
            (
                map {
                    my $r = $of{$_};
                    map { $r ? $_->[1]->($r) : undef } @MORE
                } @titles
            ),
        ];
    }
    return join q{}, map {
        join(q{,}, map { field($_) } @{$_}) . "\n"
    } @rows;
}

1;
