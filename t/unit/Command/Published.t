# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run published with stand-ins for the test programs: the page, the figures of some experiments,
# stored runs that are used again, and wrong use.
use lib 't/lib';
use TestHelp;
use InProcess;

my $tree = small_tree();
my $empty = scratch();
symlink $^X, "$empty/perl";
symlink tool('true'), "$empty/true";          # a target of experiments
my %plain = (env => { PATH => "$empty" });    # without gnuplot, which takes long
unlink "$tree/published";
mkdir "$tree/published" or die "$!";
symlink "$ROOT/published/$_.txt", "$tree/published/$_.txt"
    for qw(aspawn-2020 kpti macos-libuv maelstrom-2024);

subtest 'the page' => sub {
    my $got = run_in($tree, \%plain, 'published');
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    like(
        $got->{out},
        qr/^  posix_spawn is .*\n    differs +forkexec .*: 1[.]00\s+[(]1[.]00 to 1[.]00[)], pub/m,
        'a claim: published, here, verdict'
    );
    like($got->{out}, qr/needs macOS,\s+this is/, 'an experiment for another system')
        if $^O ne 'darwin';
    unlike($got->{out}, qr/kpti/, 'figures without a claim are left out');
    ok(!(grep { length > 80 } split /\n/, $got->{out}), 'no line is wider than 80 columns');
    my ($page, $path) = $got->{out} =~ /\A(.*)^Stored: (.*)\nPage: .*\n\z/ms;
    is(slurp_file($path), $page, 'the page is stored');
    like(slurp_file("$path.html"), qr/Claims of aspawn-2020/, 'also as HTML');
};

subtest 'some experiments, from stored runs' => sub {
    my $got = run_in($tree, \%plain, qw(published maelstrom-2024 kpti));
    like(
        $got->{out},
        qr/^ +forkexec +forkexec [(]blog[)].*\n\S+ +\S+s \S+ +407us /m,
        'here and published'
    );
    like($got->{out}, qr/^  Execl Throughput: before: 1351[.]7, /m, 'figures only');
    like(
        $got->{out},
        qr/^Measured on .*, stored as \S+[.]  To measure again: --again$/m,
        'not measured again'
    );
    my $again = run_in($tree, \%plain, qw(published --again maelstrom-2024));
    unlike($again->{out}, qr/To measure again/, '--again: measured again');
    my $sweep = run_in($tree, \%plain, qw(sweep maelstrom-2024 -i 6));
    like(
        $sweep->{out},
        qr/ posix_spawn [(]blog[)]\n\S+ +\S+ \S+ +292us$/m,
        'sweep measures one, too'
    );
    is(
        $sweep->{out} =~ s/.*?^-{72}$//msr =~ s/^Stored: .*//msr,
        run_in($tree, \%plain, 'show', stored_by($sweep))->{out} =~ s/.*?^-{72}$//msr,
        'show prints the same'
    );
};

# The name under which a command stored a run
sub stored_by { my ($got) = @_; return $got->{out} =~ /^Stored: (?:.*\/)?(\S+)/m ? $1 : q{} }

subtest 'a file of one\'s own, and wrong use' => sub {
    spew("$empty/mine.txt", <<'END');
title Mine
source S
part  one | One
measure vfork | --heap VALUE | 0 1M
claim vfork does not copy
ratio vfork 1M / vfork 0 < 100
END
    my $mine = run_in($tree, \%plain, 'sweep', '--slice', 0.02, "$empty/mine.txt");
    like($mine->{out}, qr/^  vfork does not copy\n    agrees /m, 'by its path')
        or diag $mine->{err};
    my $later = run_in($tree, \%plain, 'show', stored_by($mine));
    like($later->{out}, qr/^one 1M +100us /m, 'later: a sweep');
    spew("$tree/published/bad.txt", "title T\nsource S\nadress x\n");
    my $page = run_in($tree, \%plain, 'published');
    my $malformed = qr{published/bad[.]txt, line 3: expected one of .*'adress'};
    says($page, $malformed, 'a malformed file beside good ones', 1);
    like($page->{out}, qr/^  posix_spawn is faster/m, 'the others are judged');
    my $unknown = run_in($tree, {}, qw(published maelstrm-2024));
    says($unknown, qr/unknown published experiment 'maelstrm-2024'; .\/Run list/, 'unknown');
    like(run_in($tree, {}, qw(show kpti))->{out}, qr/^  Execl Throughput: /m, 'show of figures');
};
done_testing;
