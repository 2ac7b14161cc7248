# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use ReportInput qw(result run block);
use SpawnMeter::Report::HTML;

sub page_of { return SpawnMeter::Report::HTML::render(run(@_)) }

subtest 'posted results' => sub {
    my $page = page_of(block(results => [ result(used => undef, rates => [], latency => undef) ]));
    is_deeply([ $page =~ /<th>([^<]*)</g ], [qw(Test Result)], 'their columns');
    like($page, qr{<td>9000\.0 lps</td></tr>}, 'and no column where nothing is known');
};
subtest 'one unit in a row, and axes without rates below 0' => sub {
    my $page = page_of(block(results => [ result(unit => 'KBps', best => 12e6, rate => 11e6) ]));
    like($page, qr{>11000000\.0 KBps</td>.*>12000000\.0</td>}, 'result and best');
    my $wide = page_of(block(results => [ result(rates => [ 1, 5000, 9000 ]) ]));
    like($wide, qr{>0[.]00/s</text>}, 'the axis begins at 0');
    unlike($wide, qr/>-\d/, 'no negative rate');
};
subtest 'two speeds' => sub {
    my @levels = ({ rate => 1500, share => 0.4 }, { rate => 1900, share => 0.6 });
    my $page = page_of(block(results => [ result(speeds => \@levels) ]));
    like($page,
        qr{Two speeds: fork 1500/s in 40&#xa0;% of passes and 1900/s in 60&#xa0;% of passes[.]},
        'by name');
    like($page, qr{<td>2 speeds</td>}, 'and in its row');
    $_->{placement} = $_->{share} for @levels;
    $page = page_of(block(results => [ result(speeds => \@levels) ]));
    my $placed = qr{1500/s in 40&#xa0;% of passes [(]40&#xa0;% on the CPU of the parent[)]};
    like($page, qr{Two placements: fork $placed}, 'placements');
    $levels[$_]{faults} = 11 - $_ for 0, 1;
    $page = page_of(block(results => [ result(speeds => \@levels) ]));
    like(
        $page,
        qr{Two layouts: fork .* passes [(]11 page faults[)] and .* [(]10 page faults[)][.]},
        'layouts, by their page faults'
    );
};
subtest 'what the page says of its quality, as the text does' => sub {
    my $wide = { title => 'System', score => 150, low => 10, high => 1600, rows => [] };
    unlike(page_of(block(tables => [$wide])), qr/10[.]0 to 1600/, 'a range that says nothing');
    my @findings = (
        { kind => 'busy', words => '1.5 CPUs beside 2 of 2 times.' },
        { kind => 'busy', words => 'others', where => 'fork' }
    );
    my %run = (%{ run() }, scored => [], pictures => 'pictures', about => 'about');
    $run{text} = "\nDISTURBED: as a host names itself\n";
    my $page = SpawnMeter::Report::HTML::render({ %run, findings => \@findings });
    unlike($page, qr{<b>Disturbed:}, 'a text of the report is no finding');
    like(
        $page,
        qr{<b>Busy:</b> 1[.]5 CPUs beside 2 of 2 times[.]</p>\s*<p.*>Busy:</b> fork: others</p>},
        'busy times of a sweep, or tests of ./Run ab'
    );
};
like(page_of(block(results => [ result(unit => undef, rate => 11) ])),
    qr{<td>11[.]0</td>}, 'a post that has a result in its index table alone does not say the unit');
subtest 'size' => sub {
    my @passes = map { $_ * 7919 % 1000 } 1 .. 25;
    my $result = result(
        title           => 'Posix Spawn Throughput',
        rates           => [ map { 8000 + $_ } @passes ],
        flags           => [ map { $_ % 3 == 0 } @passes ],
        curve           => [ map { [ 1 - 0.7**$_, 100 * 1.4**$_ + $passes[$_] ] } 1 .. 23 ],
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
    my $dots = join q{}, $page =~ /class="k0 dot" d="([^"]*)"/g;
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
