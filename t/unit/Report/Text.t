# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use ReportInput qw(result run block);
use SpawnMeter::Report::Text;

sub text_of { return SpawnMeter::Report::Text::render(run(@_), verbose => 1) }

subtest 'layout' => sub {
    my %long = (test => 'a-test-%d-with-a-long-name', title => 'A Title', flagged => 9);
    my @results =
        map { result(%long, disturbed => 1, precise => 0, reasons => { steal => 9 }) } 1 .. 9;
    my $run = run(block(results => \@results));
    $run->{build} = [ 'cc ' . '-Wall ' x 30 ];
    $run->{system} = { page_size => 4096 };
    my $text = SpawnMeter::Report::Text::render($run);
    like($text, qr/^   Build: cc -Wall/m, 'a long line of the head');
    my $misprint =
        { title => 'System Benchmarks', printed => '5432', copies => 1, computed => 1.5 };
    my %posted = (%{ run() }, printed => 1, misprints => [$misprint]);
    $text .= SpawnMeter::Report::Text::render(\%posted);
    ok(!(grep { length > 80 } split /\n/, $text), 'no line is wider than 80 columns');
    like(
        $text,
        qr/^a-test-%d-with-a-long-name\n +9000\/s +0\.6%! /m,
        'a long name, and the sign of a disturbed result'
    );
    my $verbose = text_of(block(results => [ result(%long) ]));
    like($verbose, qr/^a-test-%d-with-a-long-name\n +9100\/s +107us /m, 'with -v, too');
};

subtest 'results without an interval' => sub {
    my %few = (low => undef, high => undef, plus_minus => undef, precise => 0, used => 2);
    my $table = { title => 'System', category => 'system', form => '5', score => 150, rows => [] };
    my $run = run(block(results => [ result(%few) ], tables => [$table]));
    $run->{settings}{precision} = 0.03;
    my $text = SpawnMeter::Report::Text::render($run);
    like($text, qr/^System index +150  1 copy\n.*^fork .* - /ms, 'the index has no range');
    for my $score (99.94, 99.96) {
        local $table->{score} = $score;
        my $printed = $score < 99.95 ? '99.9' : '100';
        my $text = SpawnMeter::Report::Text::render($run);
        like($text, qr/^System index +\Q$printed\E  1 copy$/m, "$score is printed as $printed");
    }
    for my $few (\%few, { passes => 4, few => 1, speeds => undef }) {
        $run->{scored}[0]{results} = [ result(%{$few}) ];
        like(
            SpawnMeter::Report::Text::render($run),
            qr/^[?] few passes; a longer --max-time/m,
            'what makes more passes'
        );
    }
    %{$table} = (%{$table}, low => 140, high => 160);
    like(
        SpawnMeter::Report::Text::render($run),
        qr/^System index +150 [(]140 [.][.] 160[)] /m,
        'and then it has one'
    );
};

subtest 'other work beside some results' => sub {
    my $run = run(block(results => [ result(busy => 1.84), result(test => 'vfork') ]));
    $run->{system}{cpus_online} = 4;
    my $busy = 'BUSY: other processes used 1.8 of 4 CPUs beside 1 of 2 results (*).';
    like(SpawnMeter::Report::Text::render($run), qr/^\Q$busy\E/m, 'how much, and the mark');

    my %disturbed = (disturbed => 1, flagged => 10, plus_minus => 3.139);
    $run->{scored}[0]{results} = [ result(busy => 1.84, %disturbed) ];
    my $text = SpawnMeter::Report::Text::render($run);
    like($text, qr/used 1[.]8 of 4 CPUs [(][*][)][.]  Do not quote/, 'beside all');
    like($text, qr/^fork .* 314%[*]/m, 'a wide interval, rounded, with the mark of other work');
    unlike($text, qr/^!/m, 'which is the only one');
};

subtest 'several numbers of copies' => sub {
    my %table = (title => 'System', category => 'system', form => '5', rows => []);
    my @blocks = map {
        block(
            copies  => $_,
            tables  => [ { %table, score => 150 * $_, partial => $_ == 4 } ],
            results => [ result(copies => $_, rate => 1000 * $_, speeds => undef) ],
        )
    } 1, 2, 4;
    my $text = SpawnMeter::Report::Text::render(run(@blocks), columns => 80, summary => 1);
    like($text, qr/^ +300  2 copies, 2[.]00 times\n\n/m, 'a partial index is not printed');
    like($text, qr{^fork +1000/s .* - +2000/s +0[.]6%~\n\n +4 copies\n}m, 'two in one table');
    my $narrow = SpawnMeter::Report::Text::render(run(@blocks), columns => 40, summary => 1);
    ok(!(grep { length > 40 } split /\n/, $narrow), 'on 40 columns no line is longer');
    is(scalar(() = $narrow =~ /^fork /mg), 3, 'and each has its own table');
};

done_testing;
