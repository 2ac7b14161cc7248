# SPDX-License-Identifier: GPL-2.0-or-later
# The word that a mistyped one was meant to be.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Util::DidYouMean qw(nearest did_you_mean);

my @WORDS = qw(fork vfork clone forkexec posix_spawn);
my %nearest = (
    frok       => 'fork',           # neighbours that changed places
    FORK       => 'fork',           # another case
    vfrok      => 'vfork',
    posixspawn => 'posix_spawn',    # a letter that is missing
    clonee     => 'clone',          # a letter more
    xyz        => undef,
    q{}        => undef,
    'f' x 65   => undef,
);
for my $word (sort keys %nearest) {
    is(scalar nearest($word, @WORDS), $nearest{$word}, 'nearest: ' . substr $word, 0, 12);
}
is(scalar nearest('f' x 65, 'f' x 64), undef, 'nearest: no word is like a long one');
is(scalar nearest('fork'), undef, 'nearest: of no words');
is(did_you_mean('frok', \@WORDS), q{; did you mean 'fork'?}, 'did_you_mean');
is(did_you_mean('xyz', \@WORDS, 'there are two'), '; there are two', 'did_you_mean: otherwise');
is(did_you_mean('xyz', \@WORDS), q{}, 'did_you_mean: nothing');
done_testing;
