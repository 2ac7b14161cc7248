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
like(
    text_of(points => 2, disturbed => 2, findings => [ [ [ mappings => { slope => 1 } ] ] ]),
    qr/^  1,000 more mappings add 1\.00us to fork\.\n  DISTURBED: 2 of 2 /m,
    'a conclusion follows from its interval, also on a busy machine'
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

my %parts = (parts => [ map { [ a => $_ ] } 1 .. 30 ]);
my $long = text_of(findings => [ [ [ launch_parts => \%parts ] ] ]);
like($long, qr/ a\s+30[.]0us[.]$/m, 'a finding is a sentence');
ok(!(grep { length > 78 } split /\n/, $long), 'no line is wider than 78 columns');
done_testing;
