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

my %fork = (base => 100, slope => 30, low => 29, high => 31);
for my $disturbed (1, 2) {
    my %model = (%EMPTY, parts => [], points => 2, disturbed => $disturbed);
    $model{findings} = [ [ [ slope_of_fork => \%fork ] ] ];
    is(
        SpawnMeter::Report::Explain::explained(\%model)->{title},
        $disturbed == 1
        ? 'fork takes 100us, plus 30.0us for each MB that the process has touched'
        : 'What a process costs here, and why',
        "the title of its page, $disturbed of 2 points disturbed"
    );
}

my %term = (words => 'MB', slope => 5.8, low => 5.7, high => 5.9, verdict => 'adds');
my $text = text_of(
    methods => [ {
        method => 'fork',
        base   => 110,
        terms  => [
            \%term,
            { %term, words => 'KB', low => -1, verdict => 'inconclusive' },
            {
                %term,
                words   => 'thread',
                low     => undef,
                high    => undef,
                verdict => 'inconclusive'
            },
            { %term, words => 'file', low => -1, high => 1, verdict => 'none' }
        ]
    } ]
);
like($text, qr/^ +base +MB +KB +thread +file$/m, 'what is added');
like($text, qr/^fork +110us +5[.]80us +unknown +unknown +none$/m, 'a term that may be 0, or is');
like(
    $text,
    qr/^ +5[.]70[.][.]5[.]90us +-1[.]00[.][.]5[.]90us +few passes +-1[.]00[.][.]1[.]00us$/m,
    'the intervals'
);

my %parts = (parts => [ map { [ a => $_ ] } 1 .. 30 ]);
my $long = text_of(findings => [ [ [ launch_parts => \%parts ] ] ]);
like($long, qr/ a\s+30[.]0us[.]$/m, 'a finding is a sentence');
ok(!(grep { length > 78 } split /\n/, $long), 'no line is wider than 78 columns');
done_testing;
