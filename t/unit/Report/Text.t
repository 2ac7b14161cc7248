# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use ReportInput qw(result run block);
use SpawnMeter::Report::Text;

sub text_of { return SpawnMeter::Report::Text->new(verbose => 1)->render(run(@_)) }

# Rows of an index table: title, BASELINE, RESULT, INDEX.  Result and index are rounded to
# one decimal; the baseline is printed in full.
sub wrong_indices {
    my ($text) = @_;
    my @wrong;
    while ($text =~ /^(\S.*?\S) +(\d+\.\d) +(\d+\.\d) +(\d+\.\d)$/mg) {
        my ($title, $baseline, $result, $index) = ($1, $2, $3, $4);
        my $rounding = 0.05 + 10 * 0.05 / $baseline + 1e-9;
        push @wrong, "$title: $index" if abs($index - 10 * $result / $baseline) > $rounding;
    }
    return @wrong;
}

subtest 'each INDEX follows from its printed line' => sub {
    for my $form (qw(report.text classic.text report-4.1.text)) {
        my $text = slurp_file("$ROOT/t/golden/expected/$form");
        cmp_ok(scalar(() = $text =~ /^\S.*(?: +\d+\.\d){3}$/mg), '>=', 4, "$form: has rows");
        is_deeply([ wrong_indices($text) ], [], "$form: INDEX is RESULT / BASELINE x 10");
    }
    is_deeply([ wrong_indices("Title   21.2   1150.0   542.8\n") ],
        ['Title: 542.8'], 'a baseline that is rounded when printed is found');
};

subtest 'how the copies were measured' => sub {
    my %protocol = (
        name      => 'settle',
        precision => 0.03,
        max_time  => 10,
        slice     => 0.25,
        seed      => 7,
        pin       => 1
    );
    my $head = sub {
        my ($protocol, @blocks) = @_;
        my $run = run(map { block(%{$_}) } @blocks);
        $run->{protocol} = { %protocol, %{$protocol} };
        $run->{blocks} = \@blocks;
        return SpawnMeter::Report::Text->new(verbose => 1)->header($run) =~ s/\s+/ /gr;
    };
    like($head->({}), qr/copy i pinned to the i-th CPU; until/, 'a run of version 0.3.0');
    like($head->({ cpus => '0-3' }), qr/pinned to the i-th of the CPUs 0-3; until/, '--pin');
    like(
        $head->({ cpus => '0,2', placement => 'packages' }),
        qr/of the CPUs 0,2, packages in turn; until/,
        '--pin packages'
    );
    like(
        $head->({ cpus => '4-7', placement => 'efficiency' }),
        qr/of the CPUs 4-7, efficiency; until/,
        '--pin efficiency'
    );
    like($head->({ cpus => '4,1', placement => '4,1' }), qr/of the CPUs 4,1; until/, '--pin 4,1');
    my %many = (copies => 64, slice => 0.32, max_time => 12);
    like(
        $head->({}, { copies => 1 }, \%many),
        qr/With 64 copies: passes of 0\.32 s or longer, at most 12 s a test/,
        'longer passes'
    );
    unlike($head->({}, { copies => 1 }), qr/With 1/, 'usual passes');
};

subtest 'number of copies' => sub {
    my @lost = map { { test => 'fork', copies => $_, status => 'failed', reason => 'x' } } 1, 2;
    my $text = text_of(block(lost => \@lost));
    like($text, qr/^fork, 1 copy: failed: x$/m, 'lost test, 1 copy');
    like($text, qr/^fork, 2 copies: failed: x$/m, 'lost test, 2 copies');
    for my $case (
        { copies => 1, words     => '1 copy' },
        { copies => 2, words     => '2 copies' },
        { copies => undef, words => 'an unknown number of copies' }
    ) {
        my %misprint = (title => 'T', printed => 848.8, computed => 748.8, %{$case});
        my $imported = run();
        @{$imported}{qw(printed misprints)} = ([], [ \%misprint ]);
        like(
            SpawnMeter::Report::Text->new->render($imported),
            qr/^The printed score of T, $case->{words}, is 848\.8; its results give 748\.8\.$/m,
            "misprinted score, $case->{words}"
        );
    }
    my $of_four = run(block(copies => 4));
    $of_four->{system}{cpus_online} = 1;
    like(
        SpawnMeter::Report::Text->new->render($of_four),
        qr/^1 CPU in system; running 4 parallel copies of tests$/m,
        'head of a block'
    );
};

subtest 'layout' => sub {
    my %long = (test => 'a-test-%d-with-a-long-name', title => 'A Title', flagged => 9);
    my @results =
        map { result(%long, disturbed => 1, settled => 0, reasons => { steal => 9 }) } 1 .. 9;
    my $run = run(block(results => \@results));
    $run->{build} = [ 'cc ' . '-Wall ' x 30 ];
    my $text = SpawnMeter::Report::Text->new->render($run);
    like($text, qr/^   Build: cc -Wall/m, 'a long line of the head');
    ok(!(grep { length > 80 } split /\n/, $text), 'no line is wider than 80 columns');
    like(
        $text,
        qr/^a-test-%d-with-a-long-name\n +0\.6%.*  ! disturbed$/m,
        'a long name, and a word'
    );
    my $verbose = text_of(block(results => [ result(%long) ]));
    like($verbose, qr/^a-test-%d-with-a-long-name\n +9100\.0 +107us /m, 'with -v, too');
    my $row = text_of(block(results => [ result() ]));
    like($row, qr/^fork +0\.6% +- +- +63\.0us +- +-$/m, 'a row');
    like($row, qr/^fork +9100\.0 +107us +33.0us +34.0us +63.0us +64.0us +1.23ms$/m, 'with -v');
    my $bare = text_of(block(results => [ result(latency => undef, cpu_us => undef) ]));
    like($bare, qr/^fork +9100\.0(?: +-){6}$/m, 'columns without a value are -');
    my $escaped = text_of(block(results => [ result(title => "A\e[31m") ]));
    unlike($escaped, qr/\e/, 'no control character of a title is printed');
};

subtest 'lists' => sub {
    my @reasons = ('CPU time stolen by the host 1', 'the machine was suspended 1');
    my $list = SpawnMeter::Report::Text::Quality::item_list(
        'Flagged as disturbed: 5 of 44 passes',
        'CPU pressure 4',
        'waited for a CPU 2', @reasons
    );
    ok(!(grep { length > 78 } split /\n/, $list), 'no line is wider than 78');
    like($list, qr/\Q$_\E/, "not broken within an item: $_") for @reasons;
};
done_testing;
