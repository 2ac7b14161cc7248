# SPDX-License-Identifier: GPL-2.0-or-later
# The bundle: what run.sh prints and stores under several shells, in a root with nothing but
# busybox, as process 1 and for another architecture, and how it handles bad input.  The rates
# are not judged.
use lib 't/lib';
use TestHelp;
use File::Path  qw(make_path);
use List::Util  qw(sum);
use Time::HiRes ();
use SpawnMeter::Store::RunFile;

use constant SIZE_MAX => 2_000_000;    # bytes

chdir $ROOT or die;
plan skip_all => 'no tar' if !needs(0, 'tar');
my $folder = scratch();

sub unpacked {
    my ($name, @targets) = @_;
    my $made = command({}, qw(perl tools/bundle), "$folder/$name", @targets);
    is($made->{status}, 0, "$name: it is built") or diag $made->{err};
    my ($tar) = glob "\Q$folder/$name\E/*.tar";
    cmp_ok(-s $tar || 0, '>', 0, "$name: there is a tar");
    cmp_ok(-s $tar, '<', SIZE_MAX, "$name: it is under 2 MB") if $tar !~ /-gnu[.]tar/;
    mkdir "$folder/$name/bundle";
    is(
        command({}, qw(tar xf), $tar, '-C', "$folder/$name/bundle", '--strip-components=1')
            ->{status},
        0,
        "$name: it is unpacked"
    );
    return "$folder/$name/bundle";
}

my @FEW = qw(-r 2 -s 0.02);
my $bundle = unpacked('own');

# Runs it -> { status, out, err, file => of the samples }
my $number = 0;

sub measured {
    my ($shell, @arguments) = @_;
    my $file = "$folder/" . ++$number . '.samples';
    my $got =
        command({ folder => "$folder" }, @{$shell}, "$bundle/run.sh", '-o', $file, @arguments);
    return { %{$got}, file => $file };
}

subtest 'the reference loops run beside each pass, as with ./Run' => sub {
    my $got = measured([], qw(-r 2 -s 0.05 -c 1 -c 99 fork));
    is($got->{status}, 0, 'it ends well') or diag $got->{err};
    my $run = SpawnMeter::Store::RunFile::load($got->{file});
    for my $pass (@{ $run->{passes} }) {
        my @references = map { @{ $_->{references} || [] } } @{ $pass->{results} };
        my $alone = $pass->{copies} <= $run->{system}{cpus_usable};
        is(scalar @references, $alone ? 2 * $pass->{copies} : 0, "$pass->{copies} at once");
    }
    my $longer = measured([], qw(-r 4 -s 0.3 -c 1 -c 2 fork));
    my %within;    # on a busy machine a pass can be too short for a pause
    for my $pass (@{ SpawnMeter::Store::RunFile::load($longer->{file})->{passes} }) {
        $within{ $pass->{copies} } += grep { $_->{within} } @{ $pass->{results} };
    }
    cmp_ok($within{1}, '>', 0, 'and in pauses of those of one copy');
    is($within{2}, 0, 'alone');
};

subtest './Run show reads the stored samples' => sub {
    my $got = measured([], qw(-r 7 -s 0.02 -c 1 -c 3));
    is($got->{status}, 0, 'it ends well') or diag $got->{err};
    my $run = SpawnMeter::Store::RunFile::load($got->{file});
    ok($run->{complete}, 'the run is complete');
    is(scalar @{ $run->{passes} }, 2 * 8 * 7, 'every pass of every test is stored');
    my $shown = command({}, './Run', qw(show -v), $got->{file});
    is($shown->{status}, 0, './Run show reads it');
    like($shown->{out}, qr/^   Measured: .*\bfixed 7\b/m, 'and its settings');
    my $compared = command({}, './Run', 'compare', $got->{file}, "$ROOT/t/portable/fixed.samples");
    is($compared->{status}, 0, './Run compare, too') or diag $compared->{err};
    my ($name) = $compared->{out} =~ /^ +\S+: (\S+);/m;
    is("$name.samples", $got->{file} =~ s{.*/}{}r, 'by its name, without the ending of the file');
    is(command({}, './Run', qw(export bmf), $got->{file})->{status}, 0, 'and ./Run export');
};

subtest 'run.sh prints the medians of the passes' => sub {
    my $got = measured([], qw(-r 5 -s 0.02 -c 1 -c 3 fork vfork));
    my $run = SpawnMeter::Store::RunFile::load($got->{file});
    my @printed = $got->{out} =~ /^(\w+) Throughput +([\d.]+) lps$/mg;
    my @due;
    for my $copies (1, 3) {
        for my $test (qw(fork vfork)) {
            my @rates = sort { $a <=> $b }
                map {
                sum(map { $_->{count} / $_->{time} } @{ $_->{results} })
                }
                grep { $_->{test} eq $test && $_->{copies} == $copies } @{ $run->{passes} };
            push @due, ucfirst $test, sprintf '%.1f', $rates[2];
        }
    }
    is_deeply(\@printed, \@due, 'of both tests, at both numbers of copies');
};

subtest 'shells' => sub {
    for my $shell (qw(dash mksh), 'busybox sh') {
        my ($name, @more) = split q{ }, $shell;
        next if !needs(1, $name);
        my $got = measured([ tool($name), @more ], @FEW, qw(-c 1 fork execl));
        is("$got->{status} " . (() = $got->{out} =~ /^\w+ Throughput /mg), '0 2', $shell);
    }
};

subtest 'the same seed gives the same order' => sub {
    my $order = sub {
        my ($seed) = @_;
        my $got = measured([], qw(-r 3 -s 0.001 -c 1 -S), $seed);
        return [ slurp_file($got->{file}) =~ /^PASS[|](\w+)/mg ];
    };
    my @round = @{ $order->(5) };
    is_deeply($order->(5), \@round, 'twice');
    isnt("@{ $order->('06') }", "@round", 'another seed gives another');
    for my $n (0 .. 2) {
        my %tests = map { $_ => 1 } @round[ 8 * $n .. 8 * $n + 7 ];
        is(scalar keys %tests, 8, "round $n has every test once");
    }
};

subtest 'bad input' => sub {
    my %bad = (
        '-r 0'     => qr/-r 0: must be above 0/,
        '-r x'     => qr/-r x: not a whole number/,
        '-s 0.0'   => qr/-s 0[.]0: must be above 0/,
        '-s 1.2.3' => qr/-s 1[.]2[.]3: not a number of seconds/,
        '-c -1'    => qr/-c -1: not a whole number/,
        'frok'     => qr/unknown test 'frok' \(there are: fork vfork /,
    );
    for my $arguments (sort keys %bad) {
        my $got = measured([], split q{ }, $arguments);
        says($got, $bad{$arguments}, "$arguments");
        ok(!-e $got->{file}, "$arguments: no file");
    }
    my $file = spew("$folder/theirs", "precious\n");
    my $got = command({}, "$bundle/run.sh", '-o', $file, @FEW, 'fork');
    says($got, qr/cannot create .*theirs: File exists/, 'a file that is there', 1);
    is(slurp_file($file), "precious\n", 'and is not touched');
    rename "$bundle/vfork", "$folder/vfork" or die;
    $got = measured([], @FEW);
    says($got, qr{/vfork is missing: unpack the whole bundle}, 'a bundle without one program');
    ok(!-e $got->{file}, 'before it measures anything');
    rename "$folder/vfork", "$bundle/vfork" or die;
};

subtest 'a test that fails' => sub {
    rename "$bundle/vfork", "$folder/vfork" or die;
    executable("$bundle/vfork", "echo 'ERROR|no luck' >&2\nexit 1\n");
    my $got = measured([], @FEW, qw(-c 1 fork vfork));
    is($got->{status}, 1, 'the status says so');
    like($got->{out}, qr/^Fork Throughput .*\d lps$/m, 'the other one is measured');
    like($got->{err}, qr/^vfork: failed: no luck$/m, 'with the reason');
    like(
        command({}, './Run', 'show', $got->{file})->{out},
        qr/^vfork +failed: no luck$/m,
        'which ./Run show has, too'
    );
    rename "$folder/vfork", "$bundle/vfork" or die;
};

subtest 'a run that is ended' => sub {
    my $got = command(
        {
            folder    => "$folder",
            meanwhile => sub {
                my ($pid) = @_;
                for (1 .. 600) {
                    last if (slurp_file("$folder/ended.samples") || q{}) =~ /^PASS/m;
                    Time::HiRes::sleep(0.1);
                }
                kill 'TERM', $pid;
            }
        },
        "$bundle/run.sh",
        qw(-r 1000 -s 0.05 -c 1 -o ended.samples fork)
    );
    is($got->{status}, 143, 'by SIGTERM');
    my $run = SpawnMeter::Store::RunFile::load("$folder/ended.samples");
    ok(!$run->{complete}, 'it is incomplete');
    is($run->{reason}, 'stopped by signal TERM', 'for this reason');
    cmp_ok(scalar @{ $run->{passes} }, '>', 0, 'and has passes');
};

sub root_folder {
    my ($bundle_folder) = @_;
    my $root = "$folder/root" . ++$number;
    make_path(map { "$root/$_" } qw(bin proc sys dev tmp));
    command({}, 'cp', tool('busybox'), "$root/bin");
    symlink 'busybox', "$root/bin/$_" for qw(sh mount sync poweroff sleep);
    command({}, qw(cp -r), $bundle_folder, "$root/bundle");
    command({}, qw(mknod -m 666), "$root/dev/null", qw(c 1 3));
    return $root;
}

subtest 'a root with nothing but busybox' => sub {
    plan skip_all => 'not root' if $> != 0 && ($ENV{CI} || q{}) ne 'true';
    plan skip_all => 'no busybox or unshare' if !needs(0, 'busybox') || !needs(0, 'unshare');
    my $root = root_folder($bundle);
    my @bare = ('chroot', $root, '/bin/sh', '/bundle/run.sh');
    my $got = command({ env => { TMPDIR => undef } }, @bare, @FEW, qw(-c 1 fork execl));
    is($got->{status}, 0, 'it runs, without /proc') or diag $got->{err};
    is(() = $got->{out} =~ /^\w+ Throughput /mg, 2, 'and measures');
    $got = command({}, qw(unshare -m -p -f), @bare, @FEW, qw(-c 1 fork));
    spew("$folder/console", "Booting ...\r\n" . ($got->{out} =~ s/\n/\r\n/gr));
    like($got->{out}, qr/^FACT\|cpu_model\|/m, 'as process 1 it mounts /proc');
    my $shown = command({}, './Run', 'show', "$folder/console");
    is($shown->{status}, 0, './Run show reads what the console showed') or diag $shown->{err};
    like($shown->{out}, qr/^Fork Throughput .* 2 samples/m, 'with the passes');
};

subtest 'another architecture' => sub {
    plan skip_all => 'with LONG=1: t/platforms runs the same programs' if !$ENV{LONG};
    my $zig = command({}, qw(python3 -m ziglang version));
    if ($zig->{status} != 0 || !tool('qemu-aarch64-static')) {
        return lacks('ziglang (t/platforms/requirements.txt) and qemu-user-static', 1);
    }
    my $theirs = unpacked('other', 'aarch64-linux-musl');
    my $emulated = sub {
        command({ env => { UB_BINDIR => $theirs } }, 'qemu-aarch64-static', @_);
    };
    is($emulated->("$theirs/summary", '--cpus')->{status}, 0, 'summary runs under qemu');
    like($emulated->("$theirs/fork", qw(--count 9))->{err}, qr/^COUNT\|9/, 'and fork');
};
done_testing;
