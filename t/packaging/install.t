# SPDX-License-Identifier: GPL-2.0-or-later
# make install and make uninstall, and the installed program as users run it.
use lib 't/lib';
use TestHelp;
use ClassicTree;
use Packaging;
use SpawnMeter::Options::Table qw(commands option options);

my $folder = scratch();
chmod 0755, "$folder";
my $dest = "$folder/dest";
my @to = ("DESTDIR=$dest", 'PREFIX=/usr');
my $usual = umask oct 77;
my $made = run_make($ROOT, 'install', @to);
umask $usual;
is($made->{status}, 0, 'make install') or diag $made->{err};
my $program = "$dest/usr/bin/spawnmeter";
is($made->{out}, "installed: $program\n", 'says where');

subtest 'files' => sub {
    my %env = (env => { PREFIX => '/usr', DESTDIR => $dest });
    my @listed = sort split /\n/, command(\%env, $^X, "$ROOT/tools/install", 'list')->{out};
    is_deeply([ files_below($dest) ], \@listed, 'those that the list names, and no others');
    is(readlink $program, '../share/spawnmeter/Run', 'the program is a relative link');
    my @modes = grep {
        ((stat "$dest$_")[2] & 07777) !=
            (m{/(?:Run|spawnmeter|tools/classic)\z|/libexec/(?!.*[.]so\z)} ? 0755 : 0644)
        }
        grep { !m{/bin/|/share/(?:bash|zsh)} } @listed;
    is("@modes", q{}, 'programs are 755, other files 644');
    my @own = map { m{([^/]+)[.]c\z} } glob "\Q$ROOT\E/src/*.c";
    my @missing = grep { !-x "$dest/usr/libexec/spawnmeter/$_" } @own, qw(trace shells shell-task);
    is("@missing", q{}, 'every program is in libexec');
    my @texts = grep { m{/share/(?:spawnmeter/(?:Run|lib|docs)|bash|zsh|man)} } @listed;
    my @old = grep { slurp_file("$dest$_") =~ m{[.]/Run\b|\Q$dest\E|\Q$ROOT\E} } @texts;
    is("@old", q{}, 'no text names ./Run, the tree or DESTDIR');
};

# A user's home; -> what the program does there
my $home = "$folder/home";
mkdir $_ for $home, "$home/project", "$home/project/results";
if ($> == 0) { chown 65_534, 65_534, $home, "$home/project", "$home/project/results" }
my %env =
    (HOME => $home, map { $_ => undef } qw(XDG_DATA_HOME XDG_CACHE_HOME UB_RESULTDIR UB_TMPDIR));

sub spawnmeter {
    my ($where, @arguments) = @_;
    return command({ folder => $where, env => \%env }, as_user($program, @arguments));
}
my @SHORT = qw(-c 1 --max-time 0.3);

subtest 'measuring, as a user without a right to write there' => sub {
    my $run = spawnmeter($home, @SHORT, qw(fork forkexec execl pipe fstime shell1));
    says($run, qr{^Results are stored in \Q$home\E/[.]local/share/spawnmeter$}m, 'status', 0);
    unlike($run->{err}, qr/building|make|cannot/, 'nothing is built');
    unlike($run->{out}, qr/failed|INCOMPLETE/, 'no test fails') or diag $run->{out};
    like($run->{out}, qr/^   Command: spawnmeter -c 1 /m, 'the report has its name');
    my @wide = grep { length > 80 } split /\n/, $run->{out};
    is("@wide", q{}, 'no line is wider than 80');
    my ($json) = glob "\Q$home\E/.local/share/spawnmeter/*.json";
    ok(defined $json, 'the run is stored there');
    is_deeply([ glob "\Q$home\E/.cache/spawnmeter/tmp/*" ], [], 'no temporary file is left');
    my $printed = $run->{out} =~ s/^Stored: .*//msr;
    is(spawnmeter($home, qw(show latest))->{out}, $printed, 'show prints it again');
    like(spawnmeter($home, qw(export lava))->{out}, qr/^fork-copies-1 pass /m, 'export, too');
    my $sweep = spawnmeter($home, qw(sweep target --max-time 0.1));
    is($sweep->{status}, 0, 'a sweep with static programs') or diag $sweep->{err};
    unlike(
        $sweep->{out},
        qr/failed|skipped: (?!true-\d+M can only be built)/,
        'no other is left out'
    ) or diag $sweep->{out};
    is(spawnmeter($home, qw(trace fork --count 50))->{status}, 0, 'trace');
};

subtest 'places' => sub {
    my $there = spawnmeter("$home/project", @SHORT, 'fork');
    my $stored = qr{^Results are stored in \Q$home\E/project/results$}m;
    like($there->{err}, $stored, 'the folder results of the current folder');
    is(scalar(() = glob "\Q$home\E/project/results/*.json"),
        1, 'the folder of the project has the run');
    local $env{XDG_DATA_HOME} = "$home/data";
    local $env{XDG_CACHE_HOME} = "$home/cache";
    like(
        spawnmeter($home, @SHORT, 'fork')->{err},
        qr{^Results are stored in \Q$home\E/data/spawnmeter$}m,
        'XDG_DATA_HOME'
    );
    ok(-d "$home/cache/spawnmeter/tmp", 'XDG_CACHE_HOME');
    local $env{UB_RESULTDIR} = "$home/named";
    my $named = spawnmeter($home, @SHORT, 'fork');
    unlike($named->{err}, qr/^Results are/m, 'UB_RESULTDIR needs no message');
    is(scalar(() = glob "\Q$home\E/named/*.json"), 1, 'the folder that is named has the run');
    delete local $env{UB_RESULTDIR};
    local @env{qw(HOME XDG_DATA_HOME XDG_CACHE_HOME)} = ('/nonexistent', undef, undef);
    local $env{UB_RESULTDIR} = undef;
    like(spawnmeter("$home/project", @SHORT, 'fork')->{err}, $stored, 'without a home');
    return if !must_be_root('become a user who can write nowhere');
    says(
        spawnmeter('/', @SHORT, 'fork'), qr{^spawnmeter:\ cannot\ write\ results\ to\ /results:\ .*;
            \ name\ another\ folder\ with\ --output\ or\ UB_RESULTDIR$}mx,
        'a user who can write nowhere'
    );
};

subtest 'messages' => sub {
    for my $case (
        [
            '--bogus' => qr/^spawnmeter: unknown option '--bogus'; spawnmeter help measure lists th/
        ],
        [ '--version'        => qr/^SpawnMeter \d/ ],
        [ '--help'           => qr{\A(?!.*^[^\n]{81}).*^  spawnmeter list +List tests}ms ],
        [ 'help recipes'     => qr/^    spawnmeter noise /m ],
        [ 'show tlpi-2.6.27' => qr/Fork Throughput/ ],
    ) {
        my $got = spawnmeter($home, split q{ }, $case->[0]);
        like($got->{out} . $got->{err}, $case->[1], $case->[0]);
    }
};

subtest 'tools/classic' => sub {
    my $tree = classic_tree({}, "$home/project");
    my $made =
        command({ folder => $home }, "$dest/usr/share/spawnmeter/tools/classic", $tree, 'copy');
    is($made->{status}, 0, 'status') or diag $made->{err};
    my $run = command({}, "$home/copy/pgms/forkexec", qw(--count 1));
    is($run->{status}, 0, 'the copy has the installed programs') or diag $run->{err};
};

subtest 'the manual page' => sub {
    plan skip_all => 'mandoc is not installed' if !needs(0, 'mandoc');
    my $page = "$dest/usr/share/man/man1/spawnmeter.1";
    my $lint = command({}, tool('mandoc'), qw(-T lint -W error), $page);
    is("$lint->{status} $lint->{out}", '0 ', 'mandoc finds no error');
    my $text = command({}, tool('mandoc'), qw(-T ascii), $page)->{out} =~ s/.\x08//gr;
    like($text, qr/^SPAWNMETER\(1\) +SpawnMeter +SPAWNMETER\(1\)$/m, 'head');
    like(
        $text,
        qr{Run is the program spawnmeter, pgms is the folder\s+/usr/libexec/spawnmeter},
        'what its words stand for'
    );
};

# What bash proposes
sub proposed {
    my (@words) = @_;
    my $script = <<'END';
source "$1"; shift
COMP_WORDS=(spawnmeter "$@"); COMP_CWORD=$#
_spawnmeter
printf '%s\n' "${COMPREPLY[@]}"
END
    my $got = command({ folder => "$home/project" },
        'bash', '-c', $script, 'bash',
        "$dest/usr/share/bash-completion/completions/spawnmeter", @words);
    is($got->{err}, q{}, "bash: @words: no error");
    return [ sort grep { length } split /\n/, $got->{out} ];
}

subtest 'completion' => sub {
    plan skip_all => 'bash is not installed' if !needs(0, 'bash');
    for my $command (commands()) {
        my @options = sort map { @{ option($_)->{names} } } options($command);
        my @before = $command eq 'measure' ? 'fork' : $command;
        is_deeply(proposed(@before, q{-}), \@options, "the options of $command");
    }
    is_deeply(proposed(qw(list runs --ou)), ['--output'], 'an option of list runs');
    is_deeply(proposed('sw'), ['sweep'], 'a command');
    is_deeply(proposed('vfo'), [qw(vfork vforkexec)], 'a test');
    is_deeply(proposed(qw(sweep mem)), ['memory'], 'a sweep');
    is_deeply(proposed(qw(export pro)), ['prometheus'], 'a format');
    is_deeply(proposed(qw(trace po)), ['posix_spawn'], 'a method');
    my @baselines = map { m{index[.]base-([^/]+)\z} } glob "\Q$ROOT\E/pgms/index.base-*";
    is_deeply(proposed('--baseline', q{}), [ sort @baselines ], 'a baseline');
    is_deeply(proposed('-c', q{}), [], 'nothing where a number follows');
    is_deeply(proposed(qw(compare res)), ['results'], 'a file');
};

# zsh itself, in a pseudo-terminal, prints what it proposes
subtest 'completion of zsh' => sub {
    plan skip_all => 'zsh is not installed' if !needs(0, 'zsh');
    my $script = <<'END';
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=('$1' \$fpath); autoload -U compinit; compinit -u -d '$2/dump'"
zpty -w shell "print READY"
zpty -r shell text '*READY*READY*'
zpty -w -n shell "spawnmeter $3"$'\t'
zpty -r shell text "*$4*"
print -r -- $text
END
    my $got = command(
        { folder => $home },
        'timeout', 300, 'zsh', '-f', '-c', $script, 'zsh', "$dest/usr/share/zsh/site-functions",
        $home, 'trace po', 'six_spawn'
    );
    is($got->{status}, 0, 'trace po is completed by six_spawn') or diag $got->{err};
};

subtest 'another version, and uninstall' => sub {
    my $data = "$dest/usr/share/spawnmeter";
    spew("$data/old", 'of the version before');
    spew("$data/installed", slurp_file("$data/installed") . "file /usr/share/spawnmeter/old\n");
    is(run_make($ROOT, 'install', @to)->{status}, 0, 'make install again');
    ok(!-e "$data/old", 'a file that is not needed any more is removed');
    spew("$dest/usr/bin/other", 'of somebody else');
    is(run_make($ROOT, 'uninstall', @to)->{status}, 0, 'make uninstall');
    is_deeply([ files_below($dest) ], ['/usr/bin/other'], 'removes all of it and nothing else');
    ok(!-e "$dest/usr/share/spawnmeter" && !-e "$dest/usr/libexec/spawnmeter", 'no folder of it');
    my $again = run_make($ROOT, 'uninstall', @to);
    isnt($again->{status}, 0, 'a second time');
    like(
        $again->{err},
        qr/installed does not exist; set PREFIX and DESTDIR as for make install/,
        'the message says why not'
    );
    spew("$folder/file", q{});
    like(
        run_make($ROOT, 'install', "DESTDIR=$folder/file")->{err},
        qr/^install: cannot create .*: Not a directory; be root, or set PREFIX or DESTDIR$/m,
        'where nothing can be created'
    );
};
done_testing;
