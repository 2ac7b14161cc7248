# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use ReportInput qw(result run block);
use SpawnMeter::Report::HTML;

sub page_of { return SpawnMeter::Report::HTML->new->render(run(@_)) }
sub heads   { my ($page) = @_; return [ $page =~ /<th scope="col">([^<]*)</g ] }

subtest 'columns' => sub {
    my $page = page_of(block(results => [ result() ]));
    is_deeply(
        heads($page),
        [
            qw(Test Result Index +/- Best CPU p50 p90 p99 p99.9 max),
            'Faults', 'Stall p50', 'Stall p99', 'Passes', 'Flagged'
        ],
        'of measured results'
    );
    like($page, qr{<td data-value="9000">9000\.0 lps</td><td>-</td>}, 'a missing index is -');
    is(scalar(() = $page =~ /<circle/g), 10, 'a dot for each pass');
    my $posted = page_of(block(results => [ result(used => undef, rates => []) ]));
    is_deeply(heads($posted), [qw(Test Result Index)], 'of posted results');
    my $result = result(latency => undef);
    like(page_of(block(results => [$result])), qr{<td>-</td>}, 'missing percentiles are -');
    is($result->{latency}, undef, 'the record is not changed');
};
subtest 'the machine and the settings are in words' => sub {
    my %system = (cpu_model => 'A CPU', distribution => 'Debian', kernel_release => '6.1');
    my $run = run(block(results => [ result() ]));
    my $page = SpawnMeter::Report::HTML->new->render(
        { %{$run}, host => 'vm', system => \%system, label => 'before' });
    like($page, qr{<h1>vm: A CPU, Debian</h1>}, 'the head names the machine by CPU and system');
    like($page, qr{<title>SpawnMeter: vm: A CPU, Debian</title>}, 'so does the title');
    like($page, qr{<br>Label: before}, 'and the label');
    unlike($page, qr/<td>[a-z]+_[a-z]|least_passes|pin 0/, 'no internal keys');
    like($page, qr{<tr><td>Kernel</td><td>6\.1</td></tr>}, 'facts have words');
    unlike($page, qr/overflow-wrap: *anywhere|word-break/, 'no word is broken that fits a line');
};
subtest 'one unit in a row, and axes without rates below 0' => sub {
    my $page = page_of(block(results => [ result(unit => 'KBps', floor => 12e6, rate => 11e6) ]));
    like($page, qr{>11000000\.0 KBps</td>.*>12000000\.0 KBps</td>}, 'result and best');
    my $wide = page_of(block(results => [ result(rates => [ 1, 5000, 9000 ]) ]));
    my ($low) = $wide =~ /<text x="10" y="67">([-\d.]+) lps</;
    is($low, '0.0', 'the axis begins at 0');
    unlike($wide, qr/>-\d/, 'no negative rate');
};
subtest 'two levels' => sub {
    my @levels = ({ rate => 1500, share => 0.4 }, { rate => 1900, share => 0.6 });
    my $page = page_of(block(results => [ result(levels => \@levels) ]));
    like($page, qr{>fork: two levels: 1500/s in 40 % of passes and 1900/s in 60 %<}, 'by name');
};
subtest 'text from elsewhere is not markup' => sub {
    my $evil = q{<script>alert(1)</script>"'&};
    my $run = run(block(
        results => [ result(map { $_ => $evil } qw(test title unit)) ],
        lost    => [ { test => $evil, status => $evil, reason => $evil } ]
    ));
    @{$run}{qw(host command reason build conditions)} = ($evil, $evil, $evil, [$evil], [$evil]);
    @{$run}{qw(complete system)} = (0, { cpu_model => $evil, $evil => $evil });
    $run->{plots} = [ { svg => 'PHN2Zy8+', title => $evil } ];
    $run->{table} = $evil;
    my $page = SpawnMeter::Report::HTML->new->render($run);
    is(scalar(() = $page =~ /<script/g), 1, 'the only script is our own');
    unlike($page, qr/="[^"]*[<>'&](?!#x)/, 'no attribute holds markup')
        if $page =~ s/<meta[^>]*>//g;
    unlike($page, qr/[^\x0a\x20-\x7e]/, 'plain ASCII');
    unlike($page, qr/<[^>]*\s(?:style|on\w+)=/, 'no attribute that the policy forbids');
};
subtest 'an empty run' => sub {
    my $page =
        SpawnMeter::Report::HTML->new->render({ suite => '1.2.3', complete => 0, scored => [] });
    like($page, qr{<b>Incomplete:</b> unknown</p>}, 'says that it is incomplete');
    unlike($page, qr/<table class="sortable"|<ul/, 'has no table and no scores');
};
subtest 'the style sheet' => sub {
    my ($style) = page_of() =~ m{<style>\n(.*?)</style>}s;
    is(($style =~ tr/{//), ($style =~ tr/}//), 'braces are balanced');
    my ($root) = $style =~ /^:root \{(.*?)\}/ms;
    my %defined = map { $_ => 1 } $root =~ /(--\w+):/g;
    my @undefined = grep { !$defined{$_} } $style =~ /var\((--\w+)\)/g;
    is_deeply(\@undefined, [], 'each variable that is used is defined');
};
done_testing;
