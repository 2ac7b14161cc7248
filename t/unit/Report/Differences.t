# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use ReportInput qw(reduced row pair);
use SpawnMeter::Command::Compare;

my %NONE = (
    incomparable => [],
    notable      => [],
    unknown      => [],
    compared     => [ 'CPU', 'kernel', 'build (compiler, flags, linker, libc)' ],
);

sub comparison_of {
    my ($runs, $pairs, %with) = @_;
    return {
        runs        => $runs,
        pairs       => $pairs,
        differences => [ map { \%NONE } @{$pairs} ],
        %with
    };
}

sub text_of {
    my ($form, @comparison) = @_;
    return SpawnMeter::Command::Compare::rendered(comparison_of(@comparison), $form);
}

my @two = map { reduced($_, { fork => 9000 }) } qw(a b);
my %UNCLEAR = (low => 0.8, high => 1.01, verdict => 'unclear', needed => 4);

my %cpus = (fact => 'CPUs allowed', old => '0,1', new => '0');
my @shown = SpawnMeter::Report::Differences::differences({ %NONE, notable => [ \%cpus ] });
is("@shown", 'CPUs allowed: 0,1 -> 0', 'CPU 0');

# In one line
sub joined { my ($text) = @_; return $text =~ s/\s+/ /gr }

subtest 'text of two runs' => sub {
    my $unclear = text_of('text', \@two, [ pair(row(%UNCLEAR, beside => 0.92), row()) ]);
    like($unclear, qr/^fork, 1 copy: -8\.0% beside the other tests\.$/m, 'beside the others');
    my $never = text_of('text', \@two, [ pair(row(%UNCLEAR, needed => undef)) ]);
    like(joined($never), qr/more runs would not resolve 3 % here: .\/Run ab does/, 'or would not');
    ok(!(grep { length > 72 } split /\n/, $unclear), 'no line is wider than 72');
    my $both = joined(text_of('text', \@two, [ pair(map { row(copies => $_) } 1, 2) ]));
    like($both, qr/\Ab is 10[.]0 % slower than a: 2 of 2 results slower[.] /, 'one test, twice');
};
subtest 'tests that one of the runs lacks' => sub {
    my @runs = ($two[0], reduced('b', { fork => 9000, vfork => 9000 }));
    my $text = text_of('text', \@runs, [ pair(row()) ]);
    like($text, qr/^Not in all runs: 1 copy: vfork[.]$/m, 'are named');
};
subtest 'what the runs are called' => sub {
    my @case =
        ([ '6.1', '6.12' ], [ 'a label', '6.12' ], [ '6.1', '6.1' ], [ '6.1', "\x{e9}t\x{e9}" ]);
    push @case, [ 'a label', 'old' ];
    for my $labels (@case) {
        my @labelled = map {
            { %{ $two[$_] }, head => { %{ $two[$_]{head} }, label => $labels->[$_] } }
        } 0, 1;
        my $heads =
            $labels == $case[0] ? '6[.]1 +6[.]12' : $labels == $case[-1] ? 'A +B' : 'old +new';
        like(text_of('text', \@labelled, [ pair(row()) ]), qr/^1 copy +$heads +delta/m, $heads);
    }
};

subtest 'text of groups' => sub {
    my @groups = map { { %{$_}, members => [ ($_) x 4 ] } } @two;
    my $pair = pair(row());
    %{ $pair->{groups}[0] } =
        (%{ $pair->{groups}[0] }, f => 6, kappa => 4, level => [ 4e-4, 1e-4 ]);
    $pair->{order} = 'AAAABBBB';
    $pair->{reference} = { words => 'page faults', levels => { 1 => 0.9 } };
    my $text = text_of('text', \@groups, [$pair], equals => ['aa']);
    my $joined = joined($text);
    like($joined, qr/not measured in turn [(]AAAABBBB[)]: .* by a factor of 2[.]0[.]/, 'the order');
    $pair->{order} = undef;
    like(
        joined(text_of('text', \@groups, [$pair])),
        qr/not measured in turn [(]the order is unknown[)]/,
        'or none'
    );
    like($joined, qr/Reference loops: page faults -10[.]0% [(]1 copy[)], taken out[.]/, 'loops');
    push @{ $pair->{groups} }, { %{ $pair->{groups}[0] }, copies => 2, tests => 0 };
    $joined = joined(text_of('text', \@groups, [$pair]));
    is(scalar(() = $joined =~ /Runs differ by 2[.]0% that /g), 1, 'how much they differ, once');
    $pair->{groups}[-1]{level} = [ 9e-4, 1e-4 ];
    $joined = joined(text_of('text', \@groups, [$pair]));
    like($joined, qr/Runs differ by 2[.]0% [(]1 copy[)] that all tests share/, 'and where');
    my %row = (run => 0, place => 1, copies => 1, members => 3, half => 0.1);
    my $ranking = [ { copies => 1, tests => ['fork'], columns => [], rows => [ \%row ] } ];
    $joined = joined(text_of('text', \@groups, [$pair], ranking => $ranking));
    like($joined, qr/ a [(]3 of 4[)] 1 - -/, 'runs of a group that are in a table');
};
subtest 'text: runs without a difference that do not say of which machine they are' => sub {
    my %differences = (%NONE, compared => [qw(architecture CPU)]);
    my $text = text_of('text', \@two, [ pair(row()) ], differences => [ \%differences ]);
    like($text =~ s/\n/ /gr, qr/ same is unknown: .* only architecture, CPU[.] /, 'what is known');
};
subtest 'text: disturbed and unsettled results' => sub {
    my ($quiet, $busy) = map { reduced($_, { fork => 9000, vfork => 20_000 }) } qw(a b);
    $_->{disturbed} = 1 for values %{ $busy->{cells} };
    my $text = text_of('text', [ $quiet, $busy ], [ pair(row()) ]);
    is(scalar(() = $text =~ /DISTURBED/g), 1, 'only the run that has them');
    like($text, qr/; DISTURBED: 2 of 2\s+results$/m, 'how many');
};
subtest 'text: differences of the runs' => sub {
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
    like($text, qr/^Known for only one of the two: 1 facts [(]-v[)]$/m, 'a fact of one machine');
};
subtest 'Markdown and CSV: names that are not plain' => sub {
    my @odd = (reduced('a|b', { fork => 9000 }), reduced('c,"d"', { fork => 9000 }));
    my $pairs = [ pair(row(title => 'T|<i>')) ];
    my $markdown = text_of('markdown', \@odd, $pairs);
    like($markdown, qr/^- \*\*old\*\*: a\\\|b; /m, 'a bar in a name');
    like($markdown, qr/^\| T\\\|\\<i\\> \| 1 \| /m, 'a row');
    like(text_of('csv', \@odd, $pairs), qr/^a[|]b,"c,""d""",1,fork,T[|]<i>,/m, 'CSV: quotes');
};
done_testing;
