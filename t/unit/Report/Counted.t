# SPDX-License-Identifier: GPL-2.0-or-later
# Report::Counted: the report of kernels fits into a mail, and the page says what was counted.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Counted;

my %kernel = (qemu => '7.2', model => 'Skylake-Server', parameters => 'quiet', name => 'vmlinuz');
my @sides =
    map { { name => $_, options => [], kernel => { %kernel, version => "6.$_", given => q{} } } } 1,
    12;
my %part = (user => 900, elements => 7, mean => 210_000);
my @values =
    map { { %part, median => $_, low => $_ - 9, high => $_ + 9, kernel => $_ - 900 } } 187_681,
    204_119;
my $compared = {
    test    => 'fork',
    copies  => 1,
    ratio   => 204_119 / 187_681,
    low     => 1.08,
    high    => 1.095,
    verdict => 'more'
};
my %function =
    map { ("function_$_" => { name => "function_$_", old => 10 * $_, new => 10 * $_ }) } 1 .. 30;
$function{function_3}{new} = 5000;
$function{function_4}{new} = 1;
$_->{change} = $_->{new} - $_->{old} for values %function;
my @functions =
    sort { abs $b->{change} <=> abs $a->{change} || $b->{old} <=> $a->{old} } values %function;
my $summary = {
    sides     => \@sides,
    rows      => [ { test => 'fork', values => \@values, others => [$compared] } ],
    functions => \@functions,
    families  => [ { name => 'all', old => 4650, new => 9581, change => 4931 } ],
    differ    => [],
};
my $run = {
    sides    => \@sides,
    cost     => { boots => 6, wall => 60 },
    command  => './Run kernels A B fork --functions fork',
    settings => { seeds => 3, functions => 'fork' },
};
my $text = SpawnMeter::Report::Counted::text($summary, $run, brief => 1, verbose => 1);
like($text, qr/^  kernel +186,781 +203,219\n  user +900 +900\n/m, 'its parts are below it');
is_deeply([ grep { length > 65 } split /\n/, $text ], [], 'no line is wider than 65');
like($text, qr/^fork +187,681 +204,119 +[+]8[.]8% +[+]-0[.]7 +more$/m, 'the row of a test');
like(
    $text,
    qr/^function_3 +30 +5,000 +[+]4,970\nfunction_4 +40 +1 +-39$/m,
    'functions that changed most are first'
);
like($text, qr/^15 others +1,460 +1,460 +[+]0\nall +4,650 +9,581 +[+]4,931$/m, 'the others as one');
like($text, qr/^Command: .*--functions fork$/m, 'a brief one has the command');
my $html = SpawnMeter::Report::Counted::page($summary, $run);
like(
    $html,
    qr{<title>6.12 compared with 6.1, instructions of one process: fork [+]8.8%</title>},
    'the title of the page is the result'
);
is(() = $html =~ /<figure/g, 2, 'it has the images and the functions as pictures');
like($html, qr{<pre>.*^function_3 }ms, 'and the functions as text');

done_testing;
