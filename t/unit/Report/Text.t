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
        qr/^a-test-%d-with-a-long-name\n +0\.6%.*  ! disturbed$/m,
        'a long name, and a word'
    );
    my $verbose = text_of(block(results => [ result(%long) ]));
    like($verbose, qr/^a-test-%d-with-a-long-name\n +9100\.0 +107us /m, 'with -v, too');
};

subtest 'results without an interval' => sub {
    my %few = (low => undef, high => undef, plus_minus => undef, precise => 0, used => 2);
    my $table = { title => 'System', category => 'system', form => '5', score => 150, rows => [] };
    my $run = run(block(results => [ result(%few) ], tables => [$table]));
    $run->{settings}{precision} = 0.03;
    my $text = SpawnMeter::Report::Text::render($run);
    unlike($text, qr/Quote/, 'no range is asked for');
    like($text, qr/^NOISY: 1 of 1 .* three\s+passes[.]$/ms, 'and why there is none');
    %{$table} = (%{$table}, low => 140, high => 160);
    like(SpawnMeter::Report::Text::render($run), qr/^Quote the System/m, 'a range is');
};

subtest 'the index of several numbers of copies' => sub {
    my @of = map {
        [ map { result(test => $_, baseline => 1, index => 1) } @{$_} ]
    } [qw(fork vfork)], [qw(vfork execl)], [qw(fork vfork)];
    my %table = (title => 'System', category => 'system', form => '5', score => 150);
    my @blocks = map { block(copies => 1 + $_, tables => [ { %table, rows => $of[$_] } ]) } 0 .. 2;
    my $text = text_of(@blocks);
    unlike($text, qr/^  2 copies .* x/m, 'is not compared where it is of other tests');
    like($text, qr/^  3 copies .* x1[.]00$/m, 'and is where it is of the same ones');
};

done_testing;
