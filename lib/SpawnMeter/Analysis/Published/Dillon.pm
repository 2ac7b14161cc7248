# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Dillon;

# M. Dillon's table of 2003, "fork speed vs /bin/sh", beside a run that repeats it.  A pure
# function.
#
#   dillon(run, reference) -> { here, book => [ { method, shell, user, system, elapsed =>
#       seconds for 5,000 creations, cpu => share of a CPU, rate => creations per second } ],
#       ratios => [ { method, here, book => dynamic over static } ] }; a row of `here` has no
#       times where nothing was measured

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published::Figures qw(figures);
use SpawnMeter::Analysis::Stats              qw(median);

our @EXPORT_OK = qw(dillon);

use constant CREATIONS => 5000;

my @DILLON_METHODS = (
    { words => 'vfork+exec', test => 'vforkexec' },
    { words => 'fork+exec', test  => 'forkexec' },
);

# user, system and elapsed seconds of 5,000 creations, by the medians; undef where the
# cell was not measured
sub csh_times {
    my ($passes) = @_;
    return if !$passes;
    my $per = sub {
        my ($seconds) = @_;
        return CREATIONS * median(map { $seconds->($_) / $_->{count} } @{$passes});
    };
    return with_rates(
        user    => $per->(sub { $_[0]{cpu}[0] + $_[0]{cpu}[2] }),
        system  => $per->(sub { $_[0]{cpu}[1] + $_[0]{cpu}[3] }),
        elapsed => $per->(sub { $_[0]{time} }),
    );
}

sub with_rates {
    my (%row) = @_;
    $row{cpu} = ($row{user} + $row{system}) / $row{elapsed};
    $row{rate} = CREATIONS / $row{elapsed};
    return \%row;
}

sub dillon {
    my ($run, $reference) = @_;
    my $of = figures($run);
    my @here;
    for my $shell ('static', 'dynamic', '/bin/sh') {
        push @here, map {
            my $times = csh_times($of->{"$shell $_->{test}"});
            { method => $_->{words}, shell => $shell, %{ $times || {} } }
        } @DILLON_METHODS;
    }
    my @book = map { dillon_row($_) } @{ $reference->{table}{rows} };
    my @ratios;
    for my $method (map { $_->{words} } @DILLON_METHODS) {
        my ($here, $book) = map { scalar dynamic_over_static($method, @{$_}) } \@here, \@book;
        push @ratios, { method => $method, here => $here, book => $book } if $here;
    }
    return { here => \@here, book => \@book, ratios => \@ratios };
}

# "1:23.4" of minutes and seconds
sub dillon_row {
    my ($row) = @_;
    my ($minutes, $seconds) = $row->{elapsed} =~ /^(\d+):([\d.]+)\z/a or return;
    return with_rates(
        method  => $row->{method},
        shell   => $row->{sh},
        user    => $row->{user_s},
        system  => $row->{sys_s},
        elapsed => 60 * $minutes + $seconds,
    );
}

sub dynamic_over_static {
    my ($method, @rows) = @_;
    my %elapsed = map { $_->{shell} => $_->{elapsed} } grep { $_->{method} eq $method } @rows;
    return if !$elapsed{static} || !$elapsed{dynamic};
    return $elapsed{dynamic} / $elapsed{static};
}

1;
