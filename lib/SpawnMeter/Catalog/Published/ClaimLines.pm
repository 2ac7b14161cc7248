# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Published::ClaimLines;

# The lines of a claim in the file of a published experiment: a line "claim", and indented ones
# below it.  Each sub takes (experiment, value, line number), and returns what is wrong, or undef,
# or dies with it.
#
#   of_claim(key) -> the sub of an indented line, or undef
#   keys_of_claim() -> [keys]
#   add_claim, add_needs: subs of lines that are not indented

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Catalog::Published::Claim  qw(condition);
use SpawnMeter::Catalog::Published::Fields qw(once known_machine);
use SpawnMeter::Catalog::Sweeps            qw(size);

our @EXPORT_OK = qw(of_claim keys_of_claim add_claim add_needs);

my %OF_CLAIM = (
    if        => \&add_condition,
    lacks     => sub { return once($_[0]{claims}[-1], $_[1], 'lacks') },
    needs     => sub { return add_needs($_[0]{claims}[-1], @_[ 1, 2 ]) },
    from      => \&add_origin,
    published => sub { return once($_[0]{claims}[-1], $_[1], 'published') },
);

sub of_claim { my ($key) = @_; return $OF_CLAIM{$key} }

sub keys_of_claim { return [ sort keys %OF_CLAIM ] }

my %NEED = (
    cpus   => [ qr/^[1-9]\d{0,4}\z/a, 'a number of CPUs' ],
    memory => [ qr/^\d{1,6}[kKmMgG]?\z/a, 'a size' ],
    system => [ qr/^(?:linux|darwin|freebsd|netbsd)\z/, 'linux, darwin, freebsd or netbsd' ],
);

sub add_needs {
    my ($in, $value) = @_;
    my ($kind, $amount, @more) = split q{ }, $value;
    my $need = $NEED{$kind};
    return 'expected one of ' . join(', ', sort keys %NEED) . ", found '$kind'" if !$need;
    return
        "expected $need->[1] after '$kind', found '"
        . join(q{ }, grep { defined } $amount, @more) . q{'}
        if @more || !defined $amount || $amount !~ $need->[0];
    $amount = size($amount) if $kind eq 'memory';
    push @{ $in->{needs} }, { kind => $kind, amount => $amount };
    return;
}

sub add_claim {
    my ($experiment, $value, $number) = @_;
    push @{ $experiment->{claims} },
        { words => $value, conditions => [], needs => [], line => $number };
    return;
}

# "WORDS: CONDITION", or only the condition
sub add_condition {
    my ($experiment, $value, $number) = @_;
    my ($words, $text) = $value =~ /^(?:([^:]*\S)\s*:)?\s*(.*)\z/;
    push @{ $experiment->{claims}[-1]{conditions} },
        { %{ condition($text) }, words => $words, text => $text, line => $number };
    return;
}

sub add_origin {
    my ($experiment, $value) = @_;
    return "expected a machine that is defined above, found '$value'"
        if !known_machine($experiment, $value);
    return once($experiment->{claims}[-1], $value, 'from');
}

1;
