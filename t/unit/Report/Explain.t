# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Explain;

my %EMPTY = map { $_ => [] } qw(points methods findings missing parts);
my %DISTURBED = (disturbed => 1, flagged => 9, passes => 9);

sub text_of { return SpawnMeter::Report::Explain::render({ %EMPTY, @_ }) }

like(text_of(), qr/^Conclusions\n\n  These figures support no conclusion\.\n\n/m, 'an empty model');
like(
    text_of(missing => [qw(files memory)]),
    qr/^Sweeps that were not measured: files memory$/m,
    'missing sweeps'
);
my @mappings = ([ [ '1,000 more mappings add {slope} to fork' => { slope => 1 } ] ]);
like(
    text_of(points => [ (\%DISTURBED) x 2 ], findings => \@mappings),
    qr/^  1,000 more mappings add 1\.00us to fork\.\n\nDISTURBED: 2 of 2 /m,
    'a conclusion follows from its interval, also on a busy machine'
);

my %fork = (base => 100, slope => 30, low => 29, high => 31);
my @fork = ([ [ 'fork takes {base}, plus {slope} for each MB ({low-high}): pages' => \%fork ] ]);
for my $disturbed (1, 2) {
    my @points = ((\%DISTURBED) x $disturbed, ({}) x (2 - $disturbed));
    is(
        SpawnMeter::Report::Explain::explained({
            %EMPTY,
            points   => \@points,
            findings => \@fork
        })->{title},
        $disturbed == 1
        ? 'fork takes 100us, plus 30.0us for each MB'
        : 'What a process costs here, and why',
        "the title of its page, $disturbed of 2 points disturbed"
    );
}

my %term = (slope => 5.8, low => 5.7, high => 5.9, verdict => 'adds');
my %unsure = (%term, verdict => 'inconclusive');
my %terms = (
    'MB touched'    => \%term,
    '100 files'     => { %unsure, low => -1 },
    '10 threads'    => { %unsure, low => undef, high => undef },
    '1000 mappings' => { %term, low   => -1, high    => 1, verdict => 'none' },
);
my $text = text_of(methods => [ { method => 'fork', base => 110, terms => \%terms } ]);
like($text, qr/^ +base +MB touched +100 files +1000 mappings +10 threads\b/m, 'what is added');
like(
    $text,
    qr/^fork +110us +5[.]80us [+]\/-1[.]7% +<5[.]90us +none +[?](?: +-)?$/m,
    'a term, one that may be 0, one that is, and one of too few passes'
);

my @parts = map { [ a => $_ ] } 1 .. 30;
my $long = text_of(findings => [ [ [ 'parts: {parts|, }' => { parts => \@parts } ] ] ]);
like($long, qr/ a\s+30[.]0us[.]$/m, 'a finding is a sentence');
ok(!(grep { length > 78 } split /\n/, $long), 'no line is wider than 78 columns');
done_testing;
