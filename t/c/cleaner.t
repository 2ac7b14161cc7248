# SPDX-License-Identifier: GPL-2.0-or-later
# A program that is killed leaves no folder, no control group and no process, and a cleaner that
# follows no symbolic link.
use lib 't/lib';
use TestHelp;
use File::Find;
use File::Temp;
use Time::HiRes qw(sleep);

my $BIN = $ENV{UB_BINDIR} || "$ROOT/pgms";
my $tmp = scratch();

use constant OTHER => 64_321;    # a user

# A count by which the processes of this check are known
my $count = 10_000_000 + $$;

sub entries {
    my ($folder) = @_;
    opendir my $in, "$folder" or die "$folder: $!";
    return map { "$folder/$_" } grep { !/^[.]/ } readdir $in;
}

sub groups {
    my ($pid) = @_;
    open my $in, '<', '/proc/self/mountinfo' or return;
    my @mounts = map { /^(?:\S+ ){4}(\S+) .* - cgroup2? / ? $1 : () } <$in>;
    my @found;
    find(
        {
            no_chdir => 1,
            wanted   => sub { push @found, $_ if m{/spawnmeter-$pid-\d+\z} },
        },
        @mounts
    ) if @mounts;
    return @found;
}

sub running {
    my @found;
    for my $file (glob '/proc/[0-9]*/cmdline') {
        open my $in, '<', $file or next;
        my $line = <$in>;
        push @found, $line if defined $line && $line =~ /\0$count(?:\0|\z)/;
    }
    return @found;
}

# What is there before the signal, and 10 s later at the latest
sub killed {
    my ($signal, $name, @arguments) = @_;
    my (@before, @groups, $program);
    my $got = command(
        {
            env       => { UB_TMPDIR => "$tmp", UB_CGROUP => undef },
            meanwhile => sub {
                ($program) = @_;
                for (1 .. 1000) {
                    @before = entries($tmp);
                    @groups = groups($program);
                    last if @before || @groups;
                    sleep 0.01;
                }
                sleep 0.05;
                kill $signal, $program;
            }
        },
        "$BIN/$name",
        @arguments,
        '--count',
        $count
    );
    my @left;
    wait_until(sub { !(@left = (entries($tmp), groups($program), running())) });
    return { %{$got}, before => [ @before, @groups ], left => \@left };
}

for my $case (
    [ vforkexec   => [qw(--own-target)] ],
    [ vforkexec   => [qw(--targets 5)] ],
    [ posix_spawn => [qw(--exec-path 4)] ],
    [ forkexec    => [qw(--phases)] ],
    [ execl       => [qw(--own-target)] ],
    [ clone3      => [qw(--into-cgroup)] ],
    [ clone3      => [qw(--cgroup-procs v1)] ],
) {
    my ($name, $arguments) = @{$case};
    subtest "$name @{$arguments}" => sub {
        my $tried =
            command({ env => { UB_TMPDIR => "$tmp" } }, "$BIN/$name", @{$arguments}, '--count', 3);
        plan skip_all => $tried->{err} if $tried->{status} == 77;
        is_deeply([ entries($tmp), running() ], [], 'nothing is left by one that ends by itself');
        for my $signal (qw(KILL TERM)) {
            my $got = killed($signal, $name, @{$arguments});
            is($got->{status}, $signal eq 'KILL' ? 137 : 143, "SIG$signal ends it")
                or diag $got->{err};
            cmp_ok(scalar @{ $got->{before} }, '>', 0, 'it had something: ' . $got->{before}[0]);
            is_deeply($got->{left}, [], "SIG$signal: nothing is left");
        }
    };
}

# Its socket then had the descriptor that --phases takes
subtest 'without a standard input' => sub {
    my @before;
    command(
        {
            env       => { UB_TMPDIR => "$tmp" },
            before    => sub { close STDIN },
            meanwhile => sub {
                wait_until(sub { @before = entries($tmp) });
                sleep 0.05;
                kill 'KILL', $_[0];
            }
        },
        "$BIN/forkexec",
        '--phases',
        '--count',
        $count
    );
    cmp_ok(scalar @before, '>', 0, 'it had a folder');
    wait_until(sub { !entries($tmp) });
    is_deeply([ entries($tmp) ], [], 'SIGKILL: nothing is left');
};

subtest 'what is no copy stays' => sub {
    system('cp', "$BIN/execl", "$tmp/other") == 0 or die 'cp';
    my $got = command({}, "$tmp/other", qw(--own-target --resume t5 1));
    isnt($got->{status}, 0, 'an image without a state fails');
    ok(-e "$tmp/other", 'and leaves its own file');
    unlink "$tmp/other";
};

subtest 'what others put there' => sub {
    mkdir "$tmp/others" or die "$!";
    spew("$tmp/others/file", 'text');
    my ($own, @left);
    my $got = command(
        {
            env       => { UB_TMPDIR => "$tmp" },
            meanwhile => sub {
                my ($program) = @_;
                wait_until(sub {
                    ($own) = grep { m{/spawnmeter-} } entries($tmp);
                });
                symlink "$tmp/others", "$own/link" or die "$!";
                mkdir "$own/folder"                or die "$!";
                spew("$own/folder/more", 'text');
                kill 'KILL', $program;
            }
        },
        "$BIN/vforkexec",
        '--own-target',
        '--count',
        $count
    );
    wait_until(sub { !-e $own });
    ok(!-e $own, 'the folder is removed with all that is in it');
    ok(-e "$tmp/others/file", 'and nothing that a link leads to');
};

# In a folder that others can write to, that can be anything
subtest 'what others put in the place of the folder' => sub {
    plan skip_all => 'only root acts as two users' if $> != 0;
    for my $with (qw(folder link)) {
        my $shared = scratch();
        mkdir "$shared/others" or die "$!";
        spew("$shared/others/file", 'text');
        chown OTHER, OTHER, "$shared/others" or die "$!" if $with eq 'folder';
        my $got = command(
            {
                env       => { UB_TMPDIR => "$shared" },
                meanwhile => sub {
                    my ($program) = @_;
                    my $own;
                    wait_until(sub {
                        ($own) = grep { m{/spawnmeter-} } entries($shared);
                    });
                    rename $own, "$shared/away" or die "$!";
                    if   ($with eq 'link') { symlink "$shared/others", $own }
                    else                   { rename "$shared/others", $own }
                    kill 'KILL', $program;
                }
            },
            "$BIN/vforkexec",
            '--own-target',
            '--count',
            $count
        );
        wait_until(sub { !running() });
        sleep 0.5;    # the cleaner ends after the program
        is(scalar(@{ [ glob "\Q$shared\E/*/file" ] }), 1, "a $with: the file in it stays");
    }
};

# A handler would note it, and the next image would not know
subtest 'SIGTERM just before the next image' => sub {
    plan skip_all => 'LD_PRELOAD is of Linux' if $^O ne 'linux';
    return if !needs(1, 'cc');
    my $built_in = File::Temp->newdir('sm-XXXXXX', TMPDIR => 1);    # LD_PRELOAD ends at a blank
    my $library = "$built_in/stopped.so";
    my $built = command({}, qw(cc -shared -fPIC -o), $library, "$ROOT/t/c/stopped.c", '-ldl');
    is($built->{status}, 0, 'the library') or return diag $built->{err};
    for my $arguments ([], ['--own-target']) {
        for my $image (1 .. 3) {
            my $folder = scratch();
            my %env = (UB_TMPDIR => "$folder", LD_PRELOAD => $library, STOPPED_AT => $image);
            my $got = command({ env => \%env }, "$ROOT/pgms/execl", @{$arguments}, 5);
            is($got->{status}, 143, "execl @{$arguments}, image $image: it ends");
            wait_until(sub { !entries($folder) });
            is_deeply([ entries($folder) ], [], 'and leaves nothing');
        }
    }
};
done_testing;
