# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Published::Beside;

# What a report of Windows says about its creations, for the experiment linux-windows-2012.
#
#   beside(file, run, results of SpawnMeter::Analysis::Results) -> lines of text; undef where
#       the report has neither createprocess nor thread

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(percent visible);

our @EXPORT_OK = qw(beside);

use constant BURST => 1000;    # creations, as in the experiment

my @SHOWN = (
    { test => 'createprocess', words     => 'createprocess' },
    { test => 'createprocess_crt', words => '  ... of a C program' },
    { test => 'thread', words            => 'thread' },
);

sub beside {
    my ($file, $run, $results) = @_;
    my %of = map { $_->{test} => $_ } grep { $_->{copies} == 1 && $_->{rate} } @{$results};
    return undef    ## no critic (ProhibitExplicitReturnUndef) -- a value
        if !grep { $of{ $_->{test} } } @SHOWN;
    my $system = $run->{host} || 'unknown system';
    my $text = "Beside it: $system, from $file: 1,000 creations, each waited for\n";
    for my $shown (@SHOWN) {
        my $result = $of{ $shown->{test} };
        $text .= sprintf "  %-32s %s\n", $shown->{words},
            $result ? time_of($result) : 'not in the report';
    }
    my @measured = @{ $run->{posted}{head} || [] };
    $text .= "$_\n" for grep { /\bwine\b/ } @measured;
    return join q{}, map { visible($_) . "\n" } split /\n/, $text;
}

sub time_of {
    my ($result) = @_;
    my $text = sprintf '%8.1f ms', 1000 * BURST / $result->{rate};
    $text .= '   (+/- ' . percent($result->{plus_minus}) . ')' if defined $result->{plus_minus};
    return $text;
}

1;
