# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run published with stand-ins for the test programs: the page, what is taken up again, and
# --check.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use InProcess;
use TestHelp;
use SpawnMeter::Command::Published::State qw(taken_up done forget);

my $tree = small_tree();
my $empty = scratch();
symlink $^X, "$empty/perl";
symlink tool('true'), "$empty/true";          # a target of experiments
my %plain = (env => { PATH => "$empty" });    # without gnuplot, which takes long

subtest 'the page' => sub {
    my $got = run_in($tree, \%plain, qw(published maelstrom-2024 macos-libuv kpti));
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    my ($page) = $got->{out} =~ /(^Published experiments: .*)/ms;
    ok(!(grep { length > 72 } split /\n/, $page), 'no line is wider than 72 columns');
    like(
        $page,
        qr/^  posix_spawn is faster than +1[.]39 +1[.]00 .*not reproduced\n  fork and exec/m,
        'a claim: published, here, verdict'
    );
    like($page, qr/^  not measured: needs macOS, and this is/m, 'an experiment for another system')
        if $^O ne 'darwin';
    unlike($page, qr/^kpti/m, 'figures without a claim are left out');
    like($page, qr/^4 claims: .*1 not reproduced/m, 'how many verdicts of each kind');
    my ($path) = reverse $got->{err} =~ /^Stored: (.*)$/mg;
    is(slurp_file($path), $got->{out}, 'the page is stored');
    like(slurp_file("$path.html"), qr/Published experiments: /, 'also as HTML');
    ok(!-e "$tree/results/published.state", 'nothing is left to take up');
};

subtest 'what was interrupted is taken up again' => sub {
    my $over = run_in($tree, \%plain, qw(published maelstrom-2024 --max-total 0.00001));
    like($over->{out}, qr/not measured: the time of --max-total/, 'no time: not measured');
    like($over->{out}, qr/^\d+ claims: .*\b\d+ not measured/ms, 'nor are its claims');
    like(
        $over->{err},
        qr/^Experiments that were not measured: 1; the next .* takes them up$/m,
        'and a message'
    );
    my %suite = (results => "$tree/results", version => 1, option => { quiet => 1 });
    my %facts = (kernel_release => '6.1', cpu_model => 'A', cpus_usable => 2);
    my $state = taken_up(\%suite, \%facts, 'x', 'y');
    is_deeply($state->{done}, {}, 'nothing is done');
    done($state, 'x', "$tree/VERSION");
    is_deeply([ keys %{ taken_up(\%suite, \%facts, 'x', 'y')->{done} } ],
        ['x'], 'the next one knows what is done');
    my $quick = { %suite, option => { quiet => 1, quick => 1 } };
    my $again = { %suite, option => { quiet => 1, again => 1 } };
    my %other = (%facts, kernel_release => '6.2');
    is_deeply(taken_up($quick, \%facts, 'x')->{done}, {}, 'not with other options');
    is_deeply(taken_up($again, \%facts, 'x')->{done}, {}, 'not with --again');
    is_deeply(taken_up(\%suite, \%other, 'x')->{done}, {}, 'not on another kernel');
    forget($state);
    is_deeply(taken_up(\%suite, \%facts, 'x')->{done}, {}, 'not after it was finished');
};

subtest '--check, and wrong use' => sub {
    my $all = run_in($tree, {}, qw(published --check));
    is($all->{status}, 0, 'all files are valid') or diag $all->{err};
    my $bad = spew("$tree/bad.txt", "title T\nsource S\nadress x\n");
    my $got = run_in($tree, {}, 'published', '--check', $bad);
    is($got->{status}, 1, 'status 1');
    like($got->{err}, qr/bad[.]txt, line 3: expected one of .*, found 'adress'/, 'file and line');
    spew($bad, <<'END');
title T
source S
address unknown
measure frok | VALUE | 1=
END
    like(
        run_in($tree, {}, 'published', '--check', $bad)->{err},
        qr/bad[.]txt, line 4: expected a test of tests[.]list, found 'frok'/,
        'a test that does not exist'
    );
    my %built = (env => { UB_BINDIR => "$ROOT/pgms" });
    my %line = (
        'measure fork | @foo | 1='             => qr/line 5: .* found: \@foo; those of a cell are/,
        'measure fork | @copies=0 | 1='        => qr/line 5: .* found: \@copies=0; those/,
        'measure fork | --heep VALUE | 1M'     => qr/line 5: .* found: unknown option '--heep'/,
        'measure fork | --heap VALUE | 1M=xyz' => qr/line 5: .*'xyz' is not a size/,
        "measure fork | | 1=\nfigure m | frok | 1 | 3 ms" => qr/line 6: expected a test .*'frok'/,
    );

    for my $line (sort keys %line) {
        spew($bad, "title T\nsource S\naddress unknown\nmachine m | M\n$line\n");
        like(run_in($tree, \%built, 'published', '--check', $bad)->{err},
            $line{$line}, $line =~ s/\n/; /r);
    }
    spew("$tree/published/bad.txt", "title T\n");
    my @short = qw(published --max-total 0.1);
    my $page = run_in($tree, \%built, @short);
    like(
        $page->{err},
        qr{published/bad[.]txt, line 1: expected a line 'source'},
        'a malformed file beside good ones is named'
    );
    unlink "$tree/published/bad.txt";
    my $unknown = run_in($tree, {}, 'published', 'kobzol');
    is($unknown->{status}, 2, 'an unknown experiment: status 2');
    like($unknown->{err}, qr/unknown published experiment 'kobzol'/, 'the message');
    like(run_in($tree, {}, qw(list published))->{out}, qr/^  kobzol-2024 /m, 'list published');
    like(run_in($tree, {}, qw(show kpti))->{out}, qr/^Execl Throughput +1351/m, 'show of a table');
};
done_testing;
