# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::KTAP;

# The Kernel Test Anything Protocol, version 1, as the kernel's selftests print it
# (Documentation/dev-tools/ktap.rst): a line for each test and number of copies, with its rate
# and 95 % interval, or the reason why there is none, as diagnostic data behind the "#".

use strict;
use warnings;
use SpawnMeter::Report::Escape qw(ascii);
use SpawnMeter::Report::Export qw(register results lost of_copies digits word);

register('ktap', render => \&render);

my @FACTS = qw(distribution kernel_release architecture cpu_model cpus_usable);

sub render {
    my ($export) = @_;
    my @results = (results($export), grep { !defined $_->{rate} } lost($export));
    my $system = $export->{run}{system} || {};
    my @lines = ('KTAP version 1', '1..' . @results);
    push @lines, map     { '# ' . ascii("$_ $system->{$_}") } grep { defined $system->{$_} } @FACTS;
    push @lines, map     { line($_ + 1, $results[$_]) } 0 .. $#results;
    return join q{}, map { "$_\n" } @lines;
}

# A result of some passes counts as failed where a later pass failed
sub line {
    my ($number, $result) = @_;
    my $status = $result->{status} || 'ok';
    my $skipped = $status eq 'skipped';
    my @data = (($skipped ? 'SKIP' : ()), value($result), reason($result));
    return
          (($status eq 'failed' || !$skipped && !defined $result->{rate}) ? 'not ok' : 'ok')
        . " $number "
        . word($result->{test})
        . of_copies('-copies-', $result)
        . (@data ? " # @data" : q{});
}

sub value {
    my ($result) = @_;
    return if !defined $result->{rate};
    my @value = (digits($result->{rate}), defined $result->{unit} ? word($result->{unit}) : 'lps');
    push @value, 'interval', map { digits($_) } @{$result}{qw(low high)} if defined $result->{low};
    return @value;
}

sub reason {
    my ($result) = @_;
    return defined $result->{reason} ? ascii($result->{reason}) : ();
}

1;
