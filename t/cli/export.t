# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run export as users run it: names, files, and what a format cannot hold.
use lib 't/lib';
use TestHelp;
use InProcess;
use SpawnMeter::Report::Export;
use GoldenRuns;
use POSIX ();

my $folder = scratch();
GoldenRuns::store($ROOT, "$folder", qw(mixed aa old new sweep-memory));
utime 1_700_000_000, 1_700_000_000, "$folder/mixed.json";
utime 1_600_000_000, 1_600_000_000, grep { !/mixed/ } glob "\Q$folder\E/*.json";

sub export {
    my (@arguments) = @_;
    return run_in($ROOT, { env => { UB_RESULTDIR => "$folder" } }, 'export', @arguments);
}

subtest 'what is exported' => sub {
    my $named = export(qw(lava mixed));
    is("$named->{status} $named->{err}", '0 ', 'a run by its name');
    like($named->{out}, qr/^fork-copies-1 pass 9009 lps$/m, 'its result');
    is(export('lava')->{out}, $named->{out}, 'without a name: the newest run');
    my $posted = export('lava', "$ROOT/t/import/macos.txt");
    like($posted->{out}, qr/^spawn-copies-1 pass \d+/m, 'a posted report') or diag $posted->{err};
    spew("$folder/silent.txt", "Process Creation 9876.5 lps (30.0 s, 2 samples)\n");
    my %elsewhere = map { $_ => 1 } qw(benchfmt gab json machines);    # passes, words, own fields

    for my $format (grep { !$elsewhere{$_} } SpawnMeter::Report::Export::formats()) {
        my $silent = export($format, "$folder/silent.txt")->{out};
        like($silent, qr/\A(?!.*copies\W+0).*\bspawn\b/s, "$format: a post that states no copies");
    }
    my $sides = export(qw(benchfmt aa));
    like($sides->{out}, qr{^BenchmarkFork/side=8/copies=1 }m, 'an A/A run of 0.5: its sides');
    my $twice = export(qw(benchfmt old old));
    is_deeply([ $twice->{out} =~ /^run: (.*)$/mg ], [ 'old', 'old_2' ], 'a run twice: two names');
};

subtest 'json --anonymous is a run file' => sub {
    my $out = export(qw(json --anonymous mixed));
    spew("$folder/passed on.json", $out->{out});
    unlike($out->{out}, qr/golden|mixed/, 'without host and name');
    my %env = (env => { UB_RESULTDIR => "$folder" });
    my $shown = run_in($ROOT, \%env, 'show', "$folder/passed on.json");
    is(
        $shown->{out},
        run_in($ROOT, \%env, qw(show --anonymous mixed))->{out},
        'and show prints the same'
    );
    unlink "$folder/passed on.json";
};

subtest 'a file' => sub {
    my $file = "$folder/spawnmeter.prom";
    spew($file, 'old');
    my $got = export('prometheus', '--to', $file, 'mixed');
    is("$got->{status} $got->{out}$got->{err}", '0 ', 'nothing is printed');
    is(slurp_file($file), export(qw(prometheus mixed))->{out}, 'the file has it');
    is_deeply([ glob "\Q$file\E*" ], [$file], 'no temporary file is left');
    my $refused = export('prometheus', '--to', $file, 'sweep-memory');
    is($refused->{status}, 2, 'what cannot be exported');
    is(slurp_file($file), export(qw(prometheus mixed))->{out}, 'the file is as it was');
    like(
        export('lava', '--to', "$folder/no/such", 'mixed')->{err},
        qr/^Run: cannot write \Q$folder\E.*: No such file or directory$/m,
        'no such folder'
    );
};

subtest 'a name that stands for something else' => sub {
    my $exported = export(qw(lava mixed))->{out};
    my $at = sub { return export(qw(lava mixed --to), "$folder/$_[0]") };
    spew("$folder/file", 'old');
    symlink 'file', "$folder/link" or die $!;
    is($at->('link')->{status}, 0, 'a link');
    ok(-l "$folder/link" && slurp_file("$folder/file") eq $exported, 'is followed, and stays');
    symlink '/dev/stdout', "$folder/output" or die $!;
    is($at->('output')->{out}, $exported, 'a link to standard output');
    POSIX::mkfifo("$folder/pipe", oct 600) or die $!;
    my $reader = fork;
    if (!$reader) { alarm 300; exec 'cp', "$folder/pipe", "$folder/read" or POSIX::_exit(1) }
    is($at->('pipe')->{status}, 0, 'a named pipe');
    waitpid $reader, 0;
    ok(-p "$folder/pipe" && slurp_file("$folder/read") eq $exported, 'is written to, and stays');
SKIP: {
        skip 'the numbers of devices are those of Linux', 4 if $^O ne 'linux';
        my %minor = (null => 3, full => 7);
        my @made = grep { !system qw(mknod -m 666), "$folder/$_", 'c', 1, $minor{$_} } keys %minor;
        skip 'no device can be made here', 4 if grep({ open my $out, '>', "$folder/$_" } @made) < 2;
        is($at->('null')->{status}, 0, 'a device');
        ok(-c "$folder/null", 'stays one');
        says($at->('full'), qr/No space/, 'a full one');
    }
};

# The arguments, and the message that they give
my @bad = (
    [ q{} => qr/: needs a format: @{[SpawnMeter::Report::Export::formats()]}$/ ],
    [
        'bmf sweep-memory' =>
            qr/^Run: export: bmf cannot hold a sweep \(sweep-memory\); use benchfmt or json$/
    ],
    [ 'gab aa'               => qr/^Run: export: gab cannot hold an A\/A run of 0\.5 \(aa\); / ],
    [ 'lava old new'         => qr/: lava holds one run, got 2; use benchfmt or machines$/ ],
    [ 'benchfmt tlpi-2.6.27' => qr/^Run: export: tlpi-2.6.27 has no passes, and benchfmt / ],
);
subtest 'bad input' => sub {
    for my $case (@bad) {
        my ($arguments, $message) = @{$case};
        my $got = export(split q{ }, $arguments);
        is("$got->{status} $got->{out}", '2 ', "export $arguments");
        like($got->{err}, $message, 'and says why');
    }
};
done_testing;
