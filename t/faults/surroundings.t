# Odd surroundings: users, missing file systems, environments, umasks, closed
# descriptors, hostile commands and planted links.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use POSIX ();

plan skip_all => 'no /proc to tell processes apart by' if !-r '/proc/self/environ';

my @SHORT = qw(-v --slice 0.02 --max-time 0.3 -c 1);
my $root = $> == 0;
my $tree = tree();
my $folder = File::Temp->newdir('sb-odd-XXXXXX', TMPDIR => 1);
chmod oct 755, $folder;

# Runs there; it ends well and leaves nothing
sub well {
    my ($fault, $with, @tests) = @_;
    my @command =
        $with->{through}
        ? (command => [ @{ $with->{through} }, $^X, "$tree/Run", @SHORT, @tests ])
        : ();
    my $run = finish(start({ tree => $tree, %{$with}, @command }, @SHORT, @tests), 60);
    my $status = $with->{status} || 0;
    is($run->{status}, $status, "$fault: status $status") or diag $run->{err_text};
    my ($told, $shown) = eval { passes($run) };
    ok($shown || ($status && defined $shown), '... the result is stored and can be shown')
        or diag $@;
    is($run->{err_text} =~ /(.* at \S+ line \d+.*)/ ? $1 : undef,
        undef, '... and perl warns of nothing');
    my @left = grep { $_ } gone($run);
    my @files = left_files($run);
    is_deeply([ @left, @files ], [], '... and nothing is left');
    my $lost = lost($run);
    is($lost, 0, '... and nothing is lost');
    tally($fault, 1, $lost, scalar @left, scalar @files);
    return $run;
}

# ---- users and file systems -----------------------------------------------------------

well($root ? 'as root' : 'not as root', {}, 'process');
SKIP: {
    skip aloud('only root can become another user'), 4 if !$root;
    my $user = 64_322;
    well(
        'as nobody, in a tree of root\'s',
        {
            open   => 1,
            before =>
                sub { $) = "$user $user"; POSIX::setgid($user) && POSIX::setuid($user) or die }
        },
        'process',
        'fstime',
        'shell1'
    );
}
SKIP: {
    my ($unshare, $mount) = map { tool($_) } qw(unshare mount);
    skip aloud('no file systems of one\'s own can be mounted here'), 12
        if !$root
        || !$unshare
        || !$mount
        || command({}, $unshare, '-m', '/bin/true')->{status} != 0;
    my $script = sub {
        return [ $unshare, '-m', '/bin/sh', '-c', "$_[0] && shift && exec \"\$@\"", 'sh', 'x' ];
    };
    my $without =
        well('without /proc', { through => $script->("$mount -t tmpfs none /proc") }, 'process');
    like($without->{out_text}, qr/^Fork Throughput +\d/m, '... every test is measured');
    unlike($without->{out_text}, qr/undef|uninit/i, '... and nothing is invented');
    well('without /sys', { through => $script->("$mount -t tmpfs none /sys") }, 'vfork');
    my $noexec = "$folder/noexec";
    mkdir $noexec;
    my $mounted = $script->("$mount -t tmpfs -o noexec none $noexec");
    well(
        '/tmp noexec',
        { through => $mounted, tmp => $noexec, env => { TMPDIR => $noexec } },
        qw(forkexec fstime)
    );
    my $copies = well(
        '/tmp noexec, with copies of the target there',
        { through => $mounted, tmp => $noexec, status => 1, env => { TMPDIR => $noexec } },
        qw(--targets 3 forkexec vforkexec vfork)
    );
    like(
        $copies->{out_text},
        qr/^forkexec, 1 copy: failed: .*noexec \(UB_TMPDIR names another folder\): Permission denied/m,
        '... what to do'
    );
}

SKIP: {
    my @unshare = (tool('unshare'), qw(--pid --fork --mount-proc));
    skip aloud('no namespace of process numbers can be made here'), 7
        if !$root || !$unshare[0] || command({}, @unshare, '/bin/true')->{status} != 0;
    well('as the first process of a container', { through => \@unshare }, qw(vfork shell1));
    my $bin = "$folder/programs";
    mkdir $bin;
    symlink $_, "$bin/" . s{.*/}{}r
        for "$ROOT/t/programs/escapes", "$ROOT/t/programs/gate.pl", "$tree/pgms/true-dynamic";
    spew("$bin/tests.list",
        "category|process|Process Benchmarks|\ndefault|escapes\nescapes|Escapes|process||long 10||escapes\n"
    );
    my $run = start({
        tree    => $tree,
        env     => { UB_BINDIR => $bin },
        command => [ @unshare, $^X, "$tree/Run", @SHORT, qw(--max-time 9 -i 6 escapes) ]
    });
    my $first = pick($run, sub { $_[0]{parent} == $run->{pid} });
    says($run, qr/ 5 passes/);
    my $orphans = grep { (slurp_file($_) || q{}) =~ /\) Z $first / } glob '/proc/[0-9]*/stat';
    cmp_ok($orphans, '<', 3, 'orphans, then its own children, are reaped');
    is(finish($run, 60)->{status}, 0, '... and it ends well');
}

# ---- what is inherited ------------------------------------------------------------------

well('an environment of 1 MB',
    { env => { map { ("LARGE$_" => 'x' x 100_000) } 1 .. 10 } }, 'process');
my $masked = well('umask 0777', { before => sub { umask oct 777 } }, qw(process fstime shell1));
my ($json) = glob "\Q$masked->{results}\E/*.json";
is((stat $json)[2] & oct 7777, oct 600, '... its owner can read the result, and nobody else');
for my $closed ([0], [1], [2], [ 0, 1 ], [ 1, 2 ], [ 0, 1, 2 ]) {
    my $run = well(
        "closed: @{$closed}",
        { before => sub { POSIX::close($_) for @{$closed} } },
        qw(vfork forkexec fstime)
    );
    like($run->{out_text}, qr/^Vfork Throughput/m, '... the report is printed')
        if !grep { $_ == 1 } @{$closed};
    my ($log) = glob "\Q$run->{results}\E/*.log";
    unlike(slurp_file($log), qr/Throughput +\d/, '... and is in no other file');
}

# every locale that is installed, and some with other points, digits, letters and bytes
my %made;
for my $locale ([qw(de_DE UTF-8)], [qw(tr_TR ISO-8859-9)], [qw(fa_IR UTF-8)], [qw(ja_JP EUC-JP)]) {
    my ($language, $bytes) = @{$locale};
    next
        if !tool('localedef')
        || command({}, tool('localedef'), '-i', $language, '-f', $bytes, "$folder/$language.$bytes")
        ->{status} > 1;
    $made{"$language.$bytes"} = "$folder";
}
if (!%made) {
    aloud('no locales can be made here (the package locales)');
    ok(0, 'CI has that package') if ($ENV{CI} || q{}) eq 'true';
}
for my $locale ((grep { /^[\w.\@-]+$/ } split /\n/, `locale -a 2>/dev/null`), sort keys %made) {
    my $run = well("LC_ALL=$locale",
        { env => { LC_ALL => $locale, LANG => $locale, LOCPATH => $made{$locale} } }, 'vfork');
    like($run->{out_text}, qr/^Vfork Throughput +\d+\.\d lps/m, "... numbers have a point");
}
well(
    'a limit on the size of core files, niceness, ignored signals',
    {
        before => sub {
            POSIX::nice(5);
            $SIG{$_} = 'IGNORE' for qw(INT HUP QUIT TERM CHLD ALRM USR1 TSTP);
        }
    },
    'process'
);

# ---- hostile commands -------------------------------------------------------------------

my $trap = "$folder/trap";
mkdir $trap;
for my $name (
    qw(make gmake cc gcc ld as uname hostname cat sh sort od grep tee wc rm gnuplot strace sync locale sysctl prlimit diff expr date)
) {
    spew("$trap/$name", "#!/bin/sh\necho $name >>$folder/sprung\nexit 1\n");
    chmod oct 755, "$trap/$name";
}
spew("$trap/profile", "echo profile >>$folder/sprung\n");
spew("$trap/evil.mk", "\$(shell echo makefile >>$folder/sprung)\n");
my %unset_path = (PATH => undef);
for my $hostile (
    [ 'PATH empty'                          => { PATH => q{} } ],
    [ 'PATH not set'                        => \%unset_path ],
    [ 'PATH begins with .'                  => { PATH => ".:$ENV{PATH}" } ],
    [ 'PATH with empty and relative places' => { PATH => ":trap:../trap:$ENV{PATH}:" } ],
    [
        'BASH_ENV, ENV, MAKEFILES, MAKEFLAGS' => {
            BASH_ENV  => "$trap/profile",
            ENV       => "$trap/profile",
            MAKEFILES => "$trap/evil.mk",
            MAKEFLAGS => "-f $trap/evil.mk",
            IFS       => 'u'
        }
    ],
) {
    my ($fault, $env) = @{$hostile};

    # a source is newer: make is asked
    utime undef, undef, "$tree/src/vfork.c";
    well(
        $fault,
        { env => $env, through => [ '/bin/sh', '-c', "cd '$trap' && exec \"\$@\"", 'sh' ] },
        qw(vfork shell1 fstime)
    );
    is(slurp_file("$folder/sprung"), undef, '... nothing from the current folder is run');
    unlink "$folder/sprung";
}

# ---- names --------------------------------------------------------------------------------

SKIP: {
    my $unshare = tool('unshare');
    skip aloud('the host cannot have another name here'), 8
        if !$root || !$unshare || command({}, $unshare, '-u', '/bin/true')->{status} != 0;
    for my $name ('a b;$(touch sprung)%s%n', '../../x', "-rf\n\e[31m<blink>") {
        my $spelt = $name =~ s/([^ -~])/sprintf '\\%03o', ord $1/ger;
        my $run = well(
            "host name '$spelt'",
            {
                through => [
                    $unshare,
                    '-u',
                    $^X,
                    '-e',
                    'open my $o, ">", "/proc/sys/kernel/hostname"; syswrite $o, shift; close $o; exec { $ARGV[0] } @ARGV',
                    q{--},
                    $name
                ]
            },
            'vfork'
        );
        unlike($run->{out_text}, qr/[\x00-\x08\x0b-\x1f]/, '... no escape in the report');
        my ($page) = glob "\Q$run->{results}\E/*.html";
        unlike(slurp_file($page), qr/<blink>/, '... nor markup in the page');
    }
}
for my $name ('../x', q{.}, "a/b", '$(touch sprung)', "a\nb", '-rf', '%s%n') {
    my $run =
        finish(start({ tree => $tree, env => { UB_OUTPUT_FILE_NAME => $name } }, @SHORT, 'vfork'));
    my $fine = $name !~ m{[/\n]|^[.]+\z};
    is($run->{status}, $fine ? 0 : 2, "UB_OUTPUT_FILE_NAME '" . ($name =~ s/\n/\\n/r) . q{'})
        or diag $run->{err_text};
    my @outside = grep { !m{\A\Q$run->{results}\E/[^/]+\z} } glob "\Q$run->{results}\E/{,../}x*";
    is(scalar(grep { -e } @outside), 0, '... nothing is written elsewhere');
}

# ---- planted links --------------------------------------------------------------------------

SKIP: {
    my $results = "$folder/planted";
    mkdir $results;
    spew("$folder/victim", "mine\n");
    my $base =
        (POSIX::uname())[1] =~ s/[^A-Za-z0-9._-]/_/gr . POSIX::strftime('-%Y-%m-%d-', localtime);
    my %planted = (
        '01' => [ q{}, qw(.log .part .json .html) ],
        '02' => ['.log'],
        '03' => ['.part'],
        '04' => [qw(.json.new .html.new .new)]
    );
    for my $number (sort keys %planted) {
        symlink $_ eq '.log' ? "$folder/victim" : "$folder/new-victim", "$results/$base$number$_"
            or die
            for @{ $planted{$number} };
    }
    my $run = finish(start({ tree => $tree, results => $results }, @SHORT, 'vfork'));
    is($run->{status}, 0, 'links planted where results will be: status 0') or diag $run->{err_text};
    is(slurp_file("$folder/victim"), "mine\n", '... what they lead to is as it was');
    ok(!-e "$folder/new-victim", '... and nothing was made there');
    ok(-f "$results/${base}04.json" && !-l "$results/${base}04.json",
        '... the run has the first free name');
    symlink "$folder/victim", "$results/named$_"
        for q{}, qw(.log .part .json .html .json.new .html.new .new);
    $run = finish(start(
        { tree => $tree, results => $results, env => { UB_OUTPUT_FILE_NAME => 'named' } },
        @SHORT, 'vfork'
    ));
    is($run->{status}, 0, 'links planted at a name that was given: status 0')
        or diag $run->{err_text};
    is(slurp_file("$folder/victim"), "mine\n", '... what they lead to is as it was');
    ok(-f "$results/named.json", '... and the results stand in their place');
    my $lost = lost($run);
    is($lost, 0, '... and nothing is lost');
    tally('planted links', 2, $lost, scalar(my @left = grep { $_ } gone($run)), 0);
}
done_testing;
