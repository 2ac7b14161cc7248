package SpawnMeter::Catalog::Published::Figures;

# What the forms of the published experiments are made of.
#
#   figures(run) -> { "label series" => [ { rate, time (s), count, cpu => [4 seconds],
#       vsz_mb, creating (s) } ] }: an entry for each good pass of one copy

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(figures);

sub figures {
    my ($run) = @_;
    my %of;
    for my $pass (
        grep { $_->{status} eq 'ok' && ref $_->{results} eq 'ARRAY' && @{ $_->{results} } == 1 }
        @{ $run->{passes} }) {
        my ($r) = @{ $pass->{results} };
        next if !$r->{count} || !$r->{time} || !$r->{cpu} || grep { !defined } @{ $r->{cpu} };
        my $label = defined $pass->{value} ? $pass->{value} : q{};
        push @{ $of{"$label $pass->{test}"} },
            {
            rate     => $pass->{rate},
            creating => $r->{creating},
            (map { $_ => $r->{$_} } qw(time count cpu)),
            vsz_mb => $r->{footprint}
                && defined $r->{footprint}[0] ? $r->{footprint}[0] / 1024 : undef,
            };
    }
    return \%of;
}

1;
