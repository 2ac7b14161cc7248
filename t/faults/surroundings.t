# SPDX-License-Identifier: GPL-2.0-or-later
# Unusual surroundings: other users, no /proc or /sys, mounts without exec, namespaces, what
# a process inherits (environment, umask, closed descriptors, locales, ignored signals),
# commands planted in the current folder.  Run measures as ever, runs nothing that it should not,
# prints no control character, and leaves no process and no file.  LONG=1 (make check-long): more of
# them.
use lib 't/lib';
use TestHelp;
use Faults;
use Fcntl qw(F_SETFD);
use POSIX ();

needs_proc();

my @SHORT = qw(-v --slice 0.02 --max-time 0.3 -c 1);
my $root = $> == 0;
my $tree = tree();
my $folder = File::Temp->newdir('sm-odd-XXXXXX', TMPDIR => 1);
chmod oct 755, $folder;

# One run of these tests in such surroundings ends as it should: { status => 0, through =>
# [command that runs another], and what Faults::start takes }; then sub (running) checks more
sub measures {
    my ($fault, $with, $tests, $further) = @_;
    subtest $fault => sub {
        my %through;
        $through{command} = [ @{ $with->{through} }, $^X, "$tree/Run", @SHORT, @{$tests} ]
            if $with->{through};
        my $run = finish(start({ tree => $tree, %{$with}, %through }, @SHORT, @{$tests}));
        my $status = $with->{status} || 0;
        my $passes = eval { passes($run) };
        ok($passes && ($passes->{shown} || $status), 'the run is stored and can be shown')
            or diag $@;
        my ($warning) = $run->{err_text} =~ /(.* at \S+ line \d+.*)/;
        is($warning, undef, 'no warning of perl');
        check_end($fault, $run, status => $status);
        $further->($run) if $further;
    };
    return;
}

sub unshare_works {
    my (@options) = @_;
    my $unshare = tool('unshare');
    return $root && $unshare && command({}, $unshare, @options, '/bin/true')->{status} == 0;
}

# ---- users and file systems -----------------------------------------------------------

measures($root ? 'as root' : 'not as root', {}, ['process']);
SKIP: {
    skip skip_reason('only root can become another user'), 1 if !$root;
    my $user = 64_322;
    my $become = sub { $) = "$user $user"; POSIX::setgid($user) && POSIX::setuid($user) or die };
    measures(
        'as nobody, in a tree of root\'s',
        { open => 1, before => $become },
        [qw(process fstime shell1)]
    );
}

# The beginning of a command line: the rest is run where this was mounted
sub mounted {
    my ($mount) = @_;
    my $script = tool('mount') . " $mount && shift && exec \"\$@\"";
    return [ tool('unshare'), '-m', '/bin/sh', '-c', $script, 'sh', 'x' ];
}

SKIP: {
    skip skip_reason('no file systems of one\'s own can be mounted here'), 4
        if !tool('mount') || !unshare_works('-m');
    measures(
        'without /proc',
        { through => mounted('-t tmpfs none /proc') },
        ['process'],
        sub {
            like($_[0]{out_text}, qr/^Fork Throughput +\d/m, 'every test is measured');
            unlike($_[0]{out_text}, qr/undef|uninit/i, 'unknown facts are left out');
        }
    );
    measures('without /sys', { through => mounted('-t tmpfs none /sys') }, ['vfork']);
    my $tmp = "$folder/noexec";
    mkdir $tmp;
    my %noexec = (
        through => mounted("-t tmpfs -o noexec none $tmp"),
        tmp     => $tmp,
        env     => { TMPDIR => $tmp }
    );
    measures('/tmp noexec', \%noexec, [qw(forkexec fstime)]);
    measures(
        '/tmp noexec, with copies of the target there',
        { %noexec, status => 1 },
        [qw(--targets 3 forkexec vforkexec vfork)],
        sub {
            my $advice = qr/noexec \(.*UB_TMPDIR .*\): Permission denied/;
            like($_[0]{out_text}, qr/^forkexec +failed: .*$advice/m, 'what to do');
        }
    );
}

# ---- as the first process of a container --------------------------------------------------

my @CONTAINER = qw(--pid --fork --mount-proc);
SKIP: {
    skip skip_reason('no namespace of process numbers can be made here'), 2
        if !unshare_works(@CONTAINER);
    my @unshare = (tool('unshare'), @CONTAINER);
    subtest 'as the first process of a container' => sub {
        my $bin = "$folder/programs";
        mkdir $bin;
        symlink $_, "$bin/" . s{.*/}{}r
            for "$ROOT/t/programs/escapes", "$ROOT/t/programs/gate.pl", "$tree/pgms/true-dynamic";
        spew("$bin/tests.list",
                  "category|process|Process Benchmarks|\n"
                . "default|escapes\nescapes|Escapes|process||long 10||escapes\n");
        my $run = start({
            tree    => $tree,
            env     => { UB_BINDIR => $bin },
            command => [ @unshare, $^X, "$tree/Run", @SHORT, qw(--max-time 9 -i 6 escapes) ]
        });
        my $first = pick($run, sub { $_[0]{parent} == $run->{pid} });
        printed($run, qr/ 5 passes/);
        my @zombies = grep { (slurp_file($_) || q{}) =~ /\) Z $first / } glob '/proc/[0-9]*/stat';
        cmp_ok(scalar @zombies, '<', 3, 'orphans, which are its children, are reaped');
        finish($run);
        check_end('as the first process of a container', $run, status => 0);
    };
}

# ---- what is inherited ------------------------------------------------------------------

measures(
    'an environment of 1 MB',
    { env => { map { ("LARGE$_" => 'x' x 100_000) } 1 .. 10 } },
    ['process'],
    sub { like($_[0]{out_text}, qr/^ +INHERITED: an environment of \d+ kB/m, 'it is named') }
);
measures('PERLIO=:utf8', { env => { PERLIO => ':utf8' } }, ['vfork']);
measures(
    'umask 0777',
    { before => sub { umask oct 777 } },
    [qw(process fstime shell1)],
    sub {
        my ($json) = glob "\Q$_[0]{results}\E/*.json";
        is((stat $json)[2] & oct 7777, oct 600, 'its owner alone can read the result');
    }
);
for my $closed ([1], [ 0, 1, 2 ], $ENV{LONG} ? ([0], [2], [ 0, 1 ], [ 1, 2 ]) : ()) {
    measures(
        "closed descriptors: @{$closed}",
        { before => sub { POSIX::close($_) for @{$closed} } },
        [qw(vfork forkexec fstime)],
        sub {
            my ($run) = @_;
            like($run->{out_text}, qr/^Vfork Throughput/m, 'the report is printed')
                if !grep { $_ == 1 } @{$closed};
            my ($log) = glob "\Q$run->{results}\E/*.log";
            unlike(slurp_file($log), qr/Throughput +\d/, 'the report is not in the log');
        }
    );
}
measures(
    'niceness, ignored signals',
    {
        before => sub {
            POSIX::nice(5);
            $SIG{$_} = 'IGNORE' for qw(INT HUP QUIT TERM CHLD ALRM USR1 TSTP);
        }
    },
    ['process'],
    sub {
        my $nice = POSIX::nice(0) + 5;
        like($_[0]{out_text}, qr/^ +INHERITED: SCHED_\w+, nice $nice changed/m, 'it is named');
    }
);
my @leaked;
measures(
    'descriptors that a shell has left open',
    {
        before => sub {
            while (@leaked < 40) {
                open my $file, '<', '/dev/null' or die "/dev/null: $!";
                fcntl $file, F_SETFD, 0;
                push @leaked, $file;
            }
        }
    },
    ['fork'],
    sub {
        my ($run) = @_;
        my $stored = stored($run);
        my @open = map { $_->{results}[0]{footprint}[3] } @{ $stored->{passes} };
        is(scalar(grep { $_ > 20 } @open), 0, 'no program has them') or diag "@open";
    }
);

# ---- locales ------------------------------------------------------------------------------

# Some with other decimal points, digits, letters and bytes -> folder by name
sub make_locales {
    my $localedef = tool('localedef') or return;
    my @wanted = ([qw(de_DE UTF-8)], [qw(fa_IR UTF-8)]);
    push @wanted, [qw(tr_TR ISO-8859-9)], [qw(ja_JP EUC-JP)] if $ENV{LONG};
    my %made;
    for my $locale (@wanted) {
        my ($language, $bytes) = @{$locale};
        my @make = ($localedef, '-i', $language, '-f', $bytes, "$folder/$language.$bytes");
        $made{"$language.$bytes"} = "$folder" if command({}, @make)->{status} <= 1;    # 1: warnings
    }
    return %made;
}

my %made = make_locales();
lacks('no locales can be made here (the package locales)') if !%made;
my @installed = grep { /^[\w.\@-]+$/ && $ENV{LONG} } split /\n/, `locale -a 2>/dev/null`;
for my $locale (@installed, sort keys %made) {
    measures(
        "LC_ALL=$locale",
        { env => { LC_ALL => $locale, LANG => $locale, LOCPATH => $made{$locale} } },
        ['vfork'],
        sub { like($_[0]{out_text}, qr/^Vfork Throughput +\d+\.\d lps/m, 'a decimal point') }
    );
}

# ---- planted commands -----------------------------------------------------------------------

my $trap = "$folder/trap";
mkdir $trap;
my @COMMANDS = qw(make gmake cc gcc ld as uname hostname cat sh sort od grep tee wc rm gnuplot
    strace sync locale sysctl prlimit diff expr date);
for my $name (@COMMANDS) {
    executable("$trap/$name", "echo $name >>$folder/sprung\nexit 1\n");
}
spew("$trap/profile", "echo profile >>$folder/sprung\n");
spew("$trap/evil.mk", "\$(shell echo makefile >>$folder/sprung)\n");
my %PLANTED = (
    'PATH empty'                             => { PATH => q{} },
    'PATH not set'                           => { 'PATH', undef },
    'PATH begins with .'                     => { PATH => ".:$ENV{PATH}" },
    'PATH with empty and relative folders'   => { PATH => ":trap:../trap:$ENV{PATH}:" },
    'BASH_ENV, ENV, MAKEFILES and MAKEFLAGS' => {
        BASH_ENV  => "$trap/profile",
        ENV       => "$trap/profile",
        MAKEFILES => "$trap/evil.mk",
        MAKEFLAGS => "-f $trap/evil.mk",
        IFS       => 'u'
    },
);
delete @PLANTED{ 'PATH empty', 'PATH begins with .' } if !$ENV{LONG};
for my $fault (sort keys %PLANTED) {

    # a source is newer, so that make is run
    utime undef, undef, "$tree/src/vfork.c";
    measures(
        $fault,
        {
            env     => $PLANTED{$fault},
            through => [ '/bin/sh', '-c', "cd '$trap' && exec \"\$@\"", 'sh' ]
        },
        [qw(vfork shell1 fstime)],
        sub { is(slurp_file("$folder/sprung"), undef, 'no planted file was run or read') }
    );
    unlink "$folder/sprung";
}

done_testing;
