# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Explain;

my %EMPTY = (disturbed => 0, methods => [], targets => [], findings => [], missing => []);

sub text_of { return SpawnMeter::Report::Explain::render({ %EMPTY, @_ }) }

like(text_of(), qr/^Conclusions\n\n  These figures support no conclusion\.\n\n/m, 'an empty model');
like(
    text_of(missing => [qw(files memory)]),
    qr/^Sweeps that were not measured: files memory$/m,
    'missing sweeps'
);

my %term =
    (words => 'per MB', slope => 5.8, low => 5.7, high => 5.9, r2 => 0.999, verdict => 'adds');
my $text = text_of(
    methods => [ {
        method => 'fork',
        base   => 110,
        terms  => [
            \%term,
            { %term, low => -1, r2 => undef, verdict => 'inconclusive' },
            {
                %term,
                words   => 'per thread',
                low     => undef,
                high    => undef,
                verdict => 'inconclusive'
            },
            { %term, words => 'per file', low => -1, high => 1, verdict => 'none' }
        ]
    } ]
);
like($text, qr/^  per MB +unknown +\(-1\.00us to 5\.90us\)$/m, 'a term that may be 0');
like($text, qr/^  per thread +unknown +\(too few passes; R2 0\.999\)$/m,
    'a term of too few passes');
like($text, qr/^  per file +none +\(-1\.00us to 1\.00us; R2 0\.999\)$/m, 'a term that is');

my $words = 'a %s takes %t (%i), %p % of %t, with %n page faults, which is %r or %x times as much '
    . 'as one that takes %t (%i)';
my @values = ('loader', 700, undef, undef, 0.7, 1000, 52, 2, 1.9, 2.1, 2, 350, 340, 360);
my $made = text_of(findings => [ [ 'any', $words, @values ] ]);
is(
    $made =~ s/.*?(?=  a)//sr =~ s/[.]\n.*//sr =~ s/\s+/ /gr,
    ' a loader takes 700us (too few passes), 70 % of 1.00ms, with 52 page faults, which is 2.00 '
        . '(1.90 to 2.10) or 2.0 times as much as one that takes 350us (340us to 360us)',
    'words and values of a finding'
);
ok(!(grep { length > 78 } split /\n/, $made), 'no line is wider than 78 columns');
done_testing;
