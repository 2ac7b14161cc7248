# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Passes;

# Which passes of a run count in its results.  Pure functions.
#
#   judged(run) -> [ { pass => pass record, counts => 1 where the pass is one of those that
#       the result of its cell is computed from, else 0; flags => [reasons why it was
#       disturbed]; creations => iterations of all copies together, undef where unknown } ],
#       in the order of the run.  A cell is a test at a number of copies, and in a sweep or
#       an A/A run of 0.5 at a value or on a side

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(sum);
use SpawnMeter::Analysis::Disturbance qw(flags sound);

our @EXPORT_OK = qw(judged);

sub judged {
    my ($run) = @_;
    my @judged = map { { pass => $_, counts => 0, flags => [], creations => creations($_) } }
        @{ $run->{passes} };
    my %cell;
    for my $one (grep { $_->{pass}{status} eq 'ok' } @judged) {
        my @key = map { defined $_ ? $_ : q{} } @{ $one->{pass} }{qw(copies test value side)};
        push @{ $cell{ join "\0", @key } }, $one;
    }
    judge(@{$_}) for values %cell;
    return \@judged;
}

sub judge {
    my (@of_cell) = @_;
    my @passes = map { $_->{pass} } @of_cell;
    my @reasons = flags(\@passes);
    my %counts = map { $_ => 1 } @{ sound(\@passes, \@reasons) };
    for my $i (0 .. $#of_cell) {
        $of_cell[$i]{flags} = $reasons[$i];
        $of_cell[$i]{counts} = $counts{ $passes[$i] } ? 1 : 0;
    }
    return;
}

sub creations {
    my ($pass) = @_;
    my @counts =
        map { defined $_->{iterations} ? $_->{iterations} : $_->{count} } @{ $pass->{results} };
    return @counts ? sum(@counts) : undef;
}

1;
