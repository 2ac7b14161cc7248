# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::ReferenceNow;

# The reference loops on the machine as it is now: how fast they are, and how much that changes
# within a second.
#
#   reference_now(suite) -> { name of a loop => [rates per second, in the order of the
#       readings] }; empty where the programs are not built or do not run
#   reference_words(the same) -> a sentence, or an empty text

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(max min);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Analysis::Reference     qw(LOOPS words_of);
use SpawnMeter::Stats::Numbers          qw(median);
use SpawnMeter::Util::Format            qw(rate);
use SpawnMeter::Util::Process           qw(output_of);

our @EXPORT_OK = qw(reference_now reference_words);

use constant {
    RUNS    => 16,      # one reading each
    SECONDS => 0.04,    # of all loops together, each time
    PATIENT => 10,      # seconds without output
};

sub reference_now {
    my ($suite) = @_;
    my @line = ("$suite->{binaries}/fork", qw(--count 1 --reference), SECONDS);
    return {} if !-x $line[0];
    local %ENV = (%ENV, LC_ALL => 'C');
    my %rates;
    for (1 .. RUNS) {
        my ($status, $words) = output_of({ line => \@line, seconds => PATIENT, marked => 1 });
        return {} if $status != 0;
        for my $reading (@{ parse($words)->{references} || [] }) {
            push @{ $rates{$_} }, $reading->{$_} for grep { $reading->{$_} } LOOPS;
        }
    }
    return \%rates;
}

sub reference_words {
    my ($of) = @_;
    my @known = grep { $of->{$_} && @{ $of->{$_} } > 1 } LOOPS;
    return q{} if !@known;
    my @parts = map {
        my @rates = @{ $of->{$_} };
        sprintf '%s %s (lowest to highest: %.0f %% apart)', words_of($_),
            rate(median(@rates), 'lps'),
            100 * (max(@rates) / min(@rates) - 1);
    } @known;
    my $readings = @{ $of->{ $known[0] } };
    return "The reference loops now, medians of $readings readings: " . join('; ', @parts) . q{.};
}

1;
