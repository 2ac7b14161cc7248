# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use ReportInput                  qw(machine row pair);
use SpawnMeter::Analysis::Record qw(comparison);
use SpawnMeter::Report::Compare;
use SpawnMeter::Util::Json qw(decode);

my %NONE = (
    incomparable => [],
    notable      => [],
    unknown      => [],
    compared     => [ 'CPU', 'kernel', 'build (compiler, flags, linker, libc)' ],
);

sub comparison_of {
    my ($machines, $pairs, %with) = @_;
    return comparison(
        machines    => $machines,
        pairs       => $pairs,
        differences => [ map { \%NONE } @{$pairs} ],
        spread      => [ map { { usual => 0.12, source => q{} } } @{$pairs} ],
        %with
    );
}

sub text_of {
    my ($form, @comparison) = @_;
    return SpawnMeter::Report::Compare->new->render(comparison_of(@comparison), $form);
}

my @two = map { machine($_, { fork => 9000 }) } qw(a b);
my %UNDECIDED = (
    low     => undef,
    high    => undef,
    p       => undef,
    verdict => 'inconclusive',
    why     => 'no raw samples'
);

subtest 'text of two machines' => sub {
    my $text = text_of('text', \@two, [ pair(row()) ]);
    like($text, qr/^Same machine and build\.$/m, 'no differences of the machines');
    like(
        $text =~ s/\n/ /gr,
        qr/: differences by less than a factor of 1[.]12 are inconclusive[.]/,
        'the usual difference'
    );
    my $limits_of = sub {
        my (%of) = @_;
        my %limits = map { $_ => { spread => $of{$_}[0], least => $of{$_}[1] } } keys %of;
        my $noisy = text_of('text', \@two, [ { %{ pair(row()) }, limits => \%limits } ]);
        return $noisy =~ s/\n/ /gr;
    };
    like(
        $limits_of->(1 => [ 0.139, 0.215 ]),
        qr/: differences by less than a factor of 1[.]22 are .*, since the passes spread by 14 %\./,
        'a limit of noisy passes'
    );
    like(
        $limits_of->(1 => [ 0.07, 0.12 ], 16 => [ 0.139, 0.215 ]),
        qr/of 1[.]12 [(]1 copy[)] and 1[.]22 [(]16 copies[)] are .* spread by 7 % and 14 %\./,
        'each number of copies'
    );
    like(
        $limits_of->(1 => [ undef, 0.12 ], 2 => [ 0.139, 0.215 ]),
        qr/of 1[.]12 [(]1 copy[)] and 1[.]22 [(]2 copies[)] are .* spread by 14 %\./,
        'one that has no samples'
    );
    like(
        $limits_of->(1 => [ undef, 0.12 ]),
        qr/ by less than a factor of 1[.]12 are inconclusive[.]/,
        'none noisy'
    );
    like($text, qr{^fork +9000/s +8100/s +-10\.0% +-11\.0\.\.-9\.0 slower$}m, 'a row');
    my $undecided = text_of('text', \@two, [ pair(row(%UNDECIDED)) ]);
    like($undecided, qr{^fork .* - inconclusive$}m, 'an inconclusive row');
    like($undecided, qr/^Inconclusive: no raw samples\.$/m, 'the reason');
    unlike($undecided, qr/equal runs/, 'no word of equal runs where no row has samples');
    my $known =
        text_of('text', \@two, [ pair(row()) ], spread => [ { usual => 0.12, source => 'aa-01' } ]);
    like($known, qr/^Equal runs differ as in aa-01; verdicts count it\.$/m, 'the A/A run');
    unlike($text, qr/own levels/, 'no word of levels without reference loops');
    my %loops = (loop => 'sparse_faults', words => 'sparse page faults', changed => []);
    my %reference = (%loops, levels => { 1 => 1 }, own_level => 0.024);
    my $steadied = text_of('text', \@two, [ { %{ pair(row()) }, reference => \%reference } ]);
    my $levels = qr/if the runs' own levels \(2\.4 % each\) can explain them\./;
    like($steadied =~ s/\n/ /gr, $levels, 'the levels that are taken');
    like(
        $steadied =~ s/\n/ /gr,
        qr/: raw differences by less than a factor of 1.12 are inconclusive, and steadied ones if/,
        'which differences'
    );
    my @known = (spread => [ { usual => 0.12, source => 'aa-01' } ]);
    my $some = text_of('text', \@two, [ { %{ pair(row()) }, reference => \%reference } ], @known);
    like(
        $some =~ s/\n/ /gr,
        qr/Steadied differences of tests that it does not know are inconclusive $levels/,
        'also beside an A/A run that lacks a test'
    );
    ok(!(grep { length > 72 } split /\n/, $steadied), 'no line is wider than 72');
    my %at_one_level = (reference => 1.1, ratio => 0.95, low => 0.94, high => 0.96);
    my @rows = map { row(test => $_) } qw(fork vfork);
    $rows[0]{steadied} = \%at_one_level;
    my $other = qr/^A test that is not in this table has its verdict above, by the delta\.$/m;
    like(text_of('text', \@two, [ pair(@rows) ]), $other, 'one of two tests is steadied');
    $rows[1]{steadied} = \%at_one_level;
    unlike(text_of('text', \@two, [ pair(@rows) ]), $other, 'both are');
};
subtest 'text: runs without a difference that do not say of which machine they are' => sub {
    my %words = (
        'neither run names them'                                 => [],
        'both runs name only architecture, CPU, which are equal' => [qw(architecture CPU)],
    );
    for my $words (sort keys %words) {
        my %differences = (%NONE, compared => $words{$words});
        my $text = text_of('text', \@two, [ pair(row()) ], differences => [ \%differences ]);
        like($text =~ s/\n/ /gr, qr/ same is unknown: \Q$words\E[.] /, $words);
    }
};
subtest 'text: disturbed and unsettled results' => sub {
    my ($quiet, $busy) = map { machine($_, { fork => 9000, vfork => 20_000 }) } qw(a b);
    $_->{disturbed} = 1 for values %{ $busy->{cells} };
    ($busy->{cells}{'1 fork'} || (values %{ $busy->{cells} })[0])->{settled} = 0;
    my $text = text_of('text', [ $quiet, $busy ], [ pair(row()) ]);
    is(scalar(() = $text =~ /DISTURBED/g), 1, 'only the run that has them');
    like($text, qr/^ +\*\*\* DISTURBED: 2 of 2 results\n +unsettled: 1 of 2 results$/m, 'how many');
};
subtest 'text: number of copies' => sub {
    for my $case (
        { copies => 1, head => '1 copy' },
        { copies => 2, head => '2 copies' },
        { copies => 0, head => '? copies' }
    ) {
        my $pair = {
            rows  => [ row(copies => $case->{copies}) ],
            means => [ { copies => $case->{copies}, ratio => 0.9, tests => 1 } ]
        };
        like(
            text_of('text', \@two, [$pair]),
            qr/^\Q$case->{head}\E +old +new +delta/m,
            $case->{head}
        );
    }
};
subtest 'text: differences of the machines' => sub {
    my %found = (
        incomparable => [ { fact => 'CPU', old => "A\e[31m", new => q{} } ],
        notable      => [ {
            fact => 'flags',
            old  => join('; ', map { "flag number $_" } 1 .. 20),
            new  => join('; ', map { "flag number $_" } 2 .. 21)
        } ],
        unknown => ['governor']
    );
    my $text = text_of('text', \@two, [ pair(row()) ], differences => [ \%found ]);
    like($text, qr/^    CPU: A\\x1b\[31m -> unknown$/m, 'control characters and empty values');
    like($text, qr/^    flags: flag number 1 -> flag number 21$/m, 'of long values what differs');
    like($text, qr/^Known for only one of the two: governor$/m, 'a fact of one machine');
    unlike($text, qr/Same machine/, 'not the same machine');
};
subtest 'text of many machines' => sub {
    my @many = map { machine("m$_", { fork => 9000, ('x' x 90) => 1 }) } 1 .. 8;
    my $text = text_of('text', \@many, [ map { pair(row(%UNDECIDED)) } 2 .. 8 ]);
    ok(!(grep { length > 72 } split /\n/, $text), 'no line is wider than 72 columns')
        or diag grep { length > 72 } split /\n/, $text;
    is_deeply(
        [ $text =~ /^1 copy +(.*)$/mg ],
        [ 'A         B         C         D         E         F', 'A         G         H' ],
        'blocks of five machines and the first'
    );
    like($text, qr/^fork +9000\/s(?: +-10\.0%\?){5}$/m, 'an inconclusive change has a ?');
    like($text, qr/^G compared with A:\nSame machine and build\.$/m, 'each pair is named');
};
subtest 'no common test' => sub {
    for my $form (qw(text markdown csv json)) {
        ok(eval { length text_of($form, \@two, [ pair() ]) }, "$form is made") or diag $@;
    }
};
subtest 'Markdown, CSV and JSON' => sub {
    my @odd = (machine('a|b', { fork => 9000 }), machine('c,"d"', { fork => 9000 }));
    my $pairs = [ pair(row(title => 'T|<i>', %UNDECIDED)) ];
    my $markdown = text_of('markdown', \@odd, $pairs);
    like($markdown, qr/^- \*\*old\*\*: a\\\|b$/m, 'Markdown: a bar in a name');
    like(
        $markdown,
        qr/^\| T\\\|\\<i\\> \| 1 \| .* \| -10\.0% \| - \| inconclusive \|$/m,
        'Markdown: a row'
    );
    my (undef, $line) = split /\n/, text_of('csv', \@odd, $pairs);
    is(
        $line,
        'a|b,"c,""d""",1,fork,T|<i>,lps,9000,8100,0.9,,,,,inconclusive,,,,',
        'CSV: a row with quotes and without interval'
    );
    my %limits = (limits => { 1 => { spread => 0.139, least => 0.215 } });
    my $data = decode(text_of('json', \@odd, [ { %{ $pairs->[0] }, %limits } ]));
    is($data->{spread}[0]{limits}{1}{least}, 0.215, 'JSON: the limit of each number of copies');
    is($data->{rows}[0]{verdict}, 'inconclusive', 'JSON: the verdict');
    is_deeply([ map { $_->{name} } @{ $data->{machines} } ], [ 'a|b', 'c,"d"' ], 'JSON: the names');
};
subtest 'what is known of the machines' => sub {
    my $full = machine(
        'full', { fork => 9000 },
        started    => 1_195_000_000,
        build      => [ 'cc 12', 'glibc 2' ],
        command    => './Run fork',
        conditions => ['Conditions: idle'],
        system     => { system => 'Linux', kernel_release => '6.1', cpu_model => 'A CPU' }
    );
    my $posted = machine('posted', { fork => 9000 }, suite => 'UnixBench 5.1.3');
    my $text = text_of('text', [ $full, $posted ], [ pair(row()) ]);
    like($text, qr/^  old: full; 2007-11-14$/m, 'its name and the date');
    like($text, qr/^ +SpawnMeter 1\.2\.3; Linux 6\.1; A CPU$/m, 'the suite and the system');
    like(
        $text,
        qr/^ +cc 12; glibc 2\n +\.\/Run fork\n +Conditions: idle$/m,
        'the build, the command and the conditions'
    );
    like($text, qr/^  new: posted\n +UnixBench 5\.1\.3$/m, 'what is unknown is left out');
    like(
        text_of('markdown', [ $full, $posted ], [ pair(row()) ]),
        qr/\| -11\.0% to -9\.0% \|/,
        'Markdown: the interval'
    );
};
done_testing;
