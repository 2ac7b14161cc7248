# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Findings;

# What is said of results: a finding is { kind, words, where => of which result, or undef }.  The
# kind decides what stands before the words, and whether that warns; a mark of a table has a kind,
# too: a sign behind a figure, or sign and word in a column.  Reports and the reader of posts have
# these words from here.
#
#   finding(kind, words, where or undef) -> finding
#   line_of(finding) -> "BUSY: words", or "BUSY: where: words"; of a kind without a head its words
#   finding_of(line) -> the finding that was printed so; without a head of its own, of kind remark
#   warns(kind) -> true where it says that results are not to be trusted
#   heads(kinds, or none for all), warning_heads() -> patterns: of heads, of those that warn
#   mark_of(kind) -> "! disturbed";  sign_of(kind) -> "!"; undef for one without a mark

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(finding line_of finding_of warns heads warning_heads mark_of sign_of);

my @WARN = qw(busy disturbed noisy quick loader inherited emulated fault);
my %HEAD = (
    map({ $_ => uc } @WARN),
    result    => 'RESULT',
    precise   => 'Precise',
    intervals => 'Intervals',
    flagged   => 'Flagged as disturbed',
    no_index  => 'No index',
    skewed    => 'Skewed',
    speeds    => 'Two speeds',
);
my %KIND = reverse %HEAD;
my %MARK = (
    busy      => '* busy',
    disturbed => '! disturbed',
    few       => '? few passes',
    skewed    => '~ skewed',
    speeds    => ': 2 speeds',
);

sub finding {
    my ($kind, $words, $where) = @_;
    return { kind => $kind, words => $words, where => $where };
}

sub line_of {
    my ($finding) = @_;
    my $head = $HEAD{ $finding->{kind} };
    return join ': ', grep { defined } $head, @{$finding}{qw(where words)};
}

sub finding_of {
    my ($line) = @_;
    my ($head, $words) = $line =~ /\A(${\heads()}): (.*)/s;
    return defined $head ? finding($KIND{$head}, $words) : finding(remark => $line);
}

sub warns {
    my ($kind) = @_;
    return scalar grep { $_ eq $kind } @WARN;
}

sub heads {
    my @kinds = @_ ? @_ : sort keys %HEAD;
    return join q{|}, map { quotemeta } @HEAD{@kinds};
}

sub warning_heads { return heads(@WARN) }

sub mark_of { my ($kind) = @_; return $MARK{$kind} }
sub sign_of { my ($kind) = @_; return $MARK{$kind} && substr $MARK{$kind}, 0, 1 }

1;
