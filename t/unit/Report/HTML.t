# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use ReportInput qw(result run block row);
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::HTML::Pair;

sub page_of { return SpawnMeter::Report::HTML::render(run(@_)) }

subtest 'posted results' => sub {
    my @unknown = qw(used latency plus_minus best passes flagged cpu_us);
    my $posted = result(rates => [], map { $_ => undef } @unknown);
    my $page = page_of(block(results => [$posted]));
    is_deeply([ $page =~ /<th>([^<]*)</g ], [qw(Test Rate)], 'their columns');
    like($page, qr{<td>9000/s</td></tr>}, 'and no column where nothing is known');
};
my %lost = (test => 'fork', copies => 1, status => 'failed', reason => 'a reason');
my $failed = page_of(block(lost => [ \%lost ]));
like($failed, qr{>fork: failed: a reason<}, 'a block without results names what failed');
unlike($failed, qr{<th>Test</th>}, 'and has no empty table');
subtest 'units' => sub {
    my $page = page_of(block(results => [ result(unit => 'KBps', rate => 11e6) ]));
    like($page, qr{>10742MB/s</td>}, 'MB in place of KB');
};
subtest 'two speeds' => sub {
    my @levels = ({ rate => 1500, share => 0.4 }, { rate => 1900, share => 0.6 });
    my @results = (result(speeds => \@levels), result(test => 'vfork'));
    my $page = page_of(block(results => \@results));
    like($page,
        qr{Two speeds: fork: 1500/s in 40&#xa0;% of passes and 1900/s in 60&#xa0;% of passes<},
        'by name');
    like($page, qr{<td><span class="bad">: 2 speeds</span></td>}, 'and in its row');
};
subtest 'what the page says of its quality, as the text does' => sub {
    my $wide = { title => 'System', score => 150, low => 10, high => 1600, rows => [] };
    unlike(page_of(block(tables => [$wide])), qr/10[.]0 to 1600/, 'a range that says nothing');
    my @findings = (
        { kind => 'busy', words => '1.5 CPUs beside 2 of 2 times.' },
        { kind => 'busy', words => 'others', where => 'fork' }
    );
    push @findings, { %{ $findings[1] }, where => "test $_" } for 2 .. 4;
    my %run = (%{ run() }, scored => []);
    $run{text} = "\nDISTURBED: as a host names itself\n";
    my %page = (title => 'title', about => 'about', findings => \@findings);
    my $page = SpawnMeter::Report::HTML::render({ %run, page => \%page });
    unlike($page, qr{<b>Disturbed:}, 'a text of the report is no finding');
    like(
        $page,
        qr{<b>Busy:</b> 1[.]5 CPUs beside 2 of 2 times.*<b>Busy:</b> fork and 3 more: others</p>}s,
        'busy times of a sweep, or tests of ./Run ab'
    );
};
like(page_of(block(results => [ result(unit => undef, rate => 11) ])),
    qr{<td>11[.]0</td>}, 'a post that has a result in its index table alone does not say the unit');
subtest 'a title claims what is clear' => sub {
    my %system =
        (cpu_model => 'AMD(R) EPYC Processor @ 2 GHz', cpus_online => 8, hypervisor => 'yes');
    my $title = sub {
        my ($result, %with) = @_;
        my %run = (%{ run(block(results => [$result])) }, system => \%system, %with);
        return SpawnMeter::Report::HTML::render(\%run) =~ m{<title>(.*)</title>.*<h1>\1</h1>}s
            ? $1
            : undef;
    };
    my $machine = 'n 8-CPU AMD EPYC virtual machine';
    is($title->(result()), "A$machine makes 9,000 forks a second", 'the rate of fork');
    is(
        $title->(result(), options => [qw(--heap 1M)]),
        "A$machine makes 9,000 forks a second with --heap 1M",
        'its options'
    );
    is($title->(result(test => 'execl')), "A$machine: execl 9000/s", 'without fork the first test');
    my $neutral = "How fast a$machine creates processes";
    is($title->(result(busy       => 1.5)), $neutral, 'not beside other work');
    is($title->(result(plus_minus => 0.6)), $neutral, 'nor with a wide interval');
    $system{emulation} = 'qemu';
    is($title->(result()), $neutral, 'nor what the machine changed');
};
subtest 'the outcome of A/B' => sub {
    my @sides = ({ name => 'A', options => [] }, { name => 'B', options => [qw(--heap 1M)] });
    my $outcome =
        sub { SpawnMeter::Report::Paired::answer({ sides => \@sides, rows => [@_] }) };
    my $slower = row(ratio => 0.033, verdict => 'slower');
    is(
        $outcome->($slower, row(verdict => 'busy')),
        'B (--heap 1M): 1 of 2 results slower, 1 busy (fork -96.7%)',
        'how many, and by what'
    );
    is($outcome->(row(verdict => 'unclear')), 'B (--heap 1M): 1 of 1 test unclear', 'no claim');
    is(
        $outcome->(($slower) x 4),
        'B (--heap 1M): 4 of 4 results slower',
        'or, of many, their number alone'
    );
    $sides[1]{set} = 'true';
    like(
        $outcome->($slower),
        qr/\AB [(]after: true; --heap 1M[)]: /,
        'a side that is more than options'
    );
};
subtest 'size' => sub {
    my @passes = map { $_ * 7919 % 1000 } 1 .. 25;
    my $result = result(
        title           => 'Posix Spawn Throughput',
        rates           => [ map { 8000 + $_ } @passes ],
        flags           => [ map { $_ % 3 == 0 } @passes ],
        disturbed       => 1,
        time_us         => 110,
        time_low        => 105,
        time_high       => 115,
        drift_corrected => { rate => 9010, plus_minus => 0.01 },
        map { $_ => 12 } qw(baseline index faults_parent faults_child)
    );
    my @blocks;
    for my $copies (1, 2) {
        my @results = map { { %{$result}, test => "a-test-$_", copies => $copies } } 1 .. 20;
        push @blocks, block(copies => $copies, results => \@results);
    }
    my $run = run(@blocks);
    @{$run}{qw(text system)} = ('a' x 11_000, { vulnerabilities => 'a' x 4000 });
    my $page = SpawnMeter::Report::HTML::render($run);
    cmp_ok(length $page, '<', 80_000, '20 tests, two numbers of copies, 25 passes each');
    my $dots = join q{}, $page =~ /class="dot behind" d="([^"]*)"/g;
    is($dots =~ tr/h//, 40 * 25, 'all of them');
};
subtest 'the style sheet' => sub {
    my ($style) = page_of() =~ m{<style>\n(.*?)</style>}s;
    is(($style =~ tr/{//), ($style =~ tr/}//), 'braces are balanced');
    my %defined = map { $_ => 1 } map { /(--\w+):/g } $style =~ /^:root \{(.*?)\}/gms;
    my @undefined = grep { !$defined{$_} } $style =~ /var\((--\w+)\)/g;
    is_deeply(\@undefined, [], 'each variable that is used is defined');
};
done_testing;
