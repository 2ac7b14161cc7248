# SPDX-License-Identifier: GPL-2.0-or-later
# The programs for Windows: mingw-w64 compiles them for 64 and 32 bits without a warning, and
# those of 64 bits run under wine.  wine's figures are those of its server: none is judged.
use lib 't/lib';
use TestHelp;
use Platforms;

use constant MEGABYTE => 1024 * 1024;

my @PROGRAMS = qw(createprocess thread true-minimal true-runtime);
mkdir "$ROOT/build";

sub folder { return "$ROOT/build/windows/$_[0]" }

my $without = command({}, 'make', '-C', $ROOT, 'WINDOWS_TARGET=none-w64', 'windows');
like(
    $without->{err},
    qr/^make windows needs none-w64-gcc: apt-get install gcc-mingw-w64/m,
    'without its compiler: the package to install'
);

for my $target (qw(x86_64-w64-mingw32 i686-w64-mingw32)) {
    subtest "compiles: $target" => sub {
        if (!tool("$target-gcc")) {
            missing("$target-gcc (gcc-mingw-w64)");
            return;
        }
        my $got =
            command({},
            'make', '-s', '-B', '-C', $ROOT, "WINDOWS_TARGET=$target", 'WINDOWS_FLAGS=-Werror',
            'windows');
        is($got->{status}, 0, 'make windows') or diag $got->{err};
        is($got->{err}, q{}, 'without a warning');
        my $size = 0;
        $size += -s folder($target) . "/$_.exe" || 0 for @PROGRAMS;
        cmp_ok($size, '<', MEGABYTE, 'all of them are smaller than 1 MB');
        my @used = map { dlls($target, folder($target) . "/$_.exe") } @PROGRAMS;
        ok(scalar(grep { /kernel32/i } @used), 'their DLLs are known');
        is_deeply([ grep { /libgcc|winpthread/i } @used ], [], 'none of them is the compiler\'s');
    };
}

sub dlls {
    my ($target, $path) = @_;
    return command({}, "$target-objdump", '-p', $path)->{out} =~ /DLL Name: (\S+)/g;
}

my ($wine) = grep { defined } tool('wine64'), grep { -x } '/usr/lib/wine/wine64';
my $prefix = "$ROOT/build/wine";
my %surroundings = (
    WINEPREFIX       => $prefix,
    WINEDEBUG        => '-all',
    WINEDLLOVERRIDES => 'winemenubuilder.exe,mscoree,mshtml=',
    DISPLAY          => undef,
);

# wine itself ends with status 1 at times, without a word or with one about its server; a program
# that fails says why
my $WINE = qr/wine client error|wineserver/;

sub wine {
    my ($program, @arguments) = @_;
    my $got;
    for (1 .. 3) {
        $got = patiently(300, { env => \%surroundings },
            $wine, folder('x86_64-w64-mingw32') . "/$program.exe", @arguments);
        last if $got->{status} != 1 || "$got->{out}$got->{err}" =~ /\S/ && $got->{err} !~ $WINE;
    }
    return $got;
}

sub line_of {
    my ($got, $key) = @_;
    return $got->{err} =~ /^\Q$key\E[|]([^\r\n]*)\r?$/m ? $1 : undef;
}

sub programs_run {
    for my $program (qw(createprocess thread)) {
        my $got = wine($program, qw(--count 20));
        is($got->{status}, 0, "$program runs") or diag $got->{err};
        is(line_of($got, 'COUNT'), '20|1|lps', "$program: --count is exact");
        is(line_of($got, 'TIMED'), 20, "$program: all of them are timed");
        like(
            line_of($got, 'LATENCY'),
            qr/^\d+[.]\d{3}(?:[|]\d+[.]\d{3}){4}$/,
            "$program: latencies"
        );
    }
    my $target = folder('x86_64-w64-mingw32') . '/true-runtime.exe';
    is(wine('createprocess', qw(--count 3 --exec), "Z:$target")->{status}, 0, '--exec');
    return;
}

sub errors_are_named {
    my $got = wine('createprocess', qw(--count 2 --exec C:\none.exe));
    is($got->{status}, 1, 'a missing target fails');
    like(
        line_of($got, 'ERROR'),
        qr/^cannot run the target C:\\none[.]exe \(choose another/,
        'it is named'
    );
    for my $bad (['--bogus'], [], ['x'], [ '--count', 'x' ], ['--count'], [ 1, 2 ], ['0']) {
        is(wine('thread', @{$bad})->{status}, 2, "thread @{$bad}: a usage error");
    }
    is(wine('thread', qw(--count 1 --exec x))->{status}, 2, 'thread takes no --exec');
    return;
}

# wine's server, kept until a minute after its last program: one that ends between two programs
# drops the connection of the next at times ("wine client error: recvmsg")
my ($server) = grep { -x } map { "/usr/lib/wine/$_" } qw(wineserver64 wineserver);

sub begin_wine {
    mkdir $prefix;
    return command({ env => \%surroundings }, $server, '-p60');
}

sub end_wine {
    return command({ env => \%surroundings }, $server, '-k');
}

subtest 'run under wine: x86_64-w64-mingw32' => sub {
    if (!$wine || !$server || !-x folder('x86_64-w64-mingw32') . '/thread.exe') {
        missing('wine64, its server, and the programs');
        return;
    }
    my $begun = begin_wine();
    is($begun->{status}, 0, 'its server starts') or diag $begun->{err};
    is(wine('thread', '--version')->{status}, 0, 'wine starts a program');
    subtest 'the programs' => \&programs_run;
    subtest 'errors'       => \&errors_are_named;
    end_wine();
};
done_testing;
