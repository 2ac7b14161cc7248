# SPDX-License-Identifier: GPL-2.0-or-later
# A program leaves no folder, no control group and no process; what one that is killed leaves is
# removed by the next one, which follows no symbolic link.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use File::Find;
use Time::HiRes qw(sleep);

my $tmp = scratch();

use constant OTHER => 60_000 + $$ % 5_000;    # a user without other processes

# A count by which the processes of this check are known
my $count = 10_000_000 + $$;

sub entries {
    my ($folder) = @_;
    return map { "$folder/$_" } names_in($folder);
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

# Runs a program with this folder for its files, and the sub (pid, its folder) as soon as it has one
# or a group
sub meanwhile {
    my ($folder, $sub, $with, $name, @arguments) = @_;
    my $do = sub {
        my ($program) = @_;
        my $own;
        wait_until(sub {
            ($own) = ((grep { m{/spawnmeter-} } entries($folder)), groups($program));
        });
        $sub->($program, $own);
    };
    my %env = (UB_TMPDIR => "$folder", UB_CGROUP => undef);
    return command({ env => \%env, meanwhile => $do, %{$with} },
        "$BIN/$name", @arguments, '--count', $count);
}

# What is there before the signal; what is left by it; and what after the next program
sub killed {
    my ($signal, $with, $name, @arguments) = @_;
    my ($program, $before, @left);
    my $got = meanwhile($tmp, sub { ($program, $before) = @_; sleep 0.05; kill $signal, $program },
        $with, $name, @arguments);
    wait_until(sub { !running() });
    @left = (entries($tmp), groups($program));
    my $next = sub {
        my %env = (UB_TMPDIR => "$tmp", UB_CGROUP => undef);
        command({ env => \%env }, "$BIN/$name", @arguments, qw(--count 3));
        return !entries($tmp) && !groups($program);
    };
    wait_until($next);    # a child of the killed program holds its lock for a moment longer
    my @later = (entries($tmp), groups($program));
    return { %{$got}, before => $before, left => \@left, later => \@later };
}

for my $case (
    [ vforkexec   => [qw(--own-target)] ],
    [ vforkexec   => [qw(--targets 5)] ],
    [ posix_spawn => [qw(--exec-path 4)] ],
    [ forkexec    => [qw(--phases)] ],
    [ execl       => [qw(--own-target)] ],
    [ clone3      => [qw(--into-cgroup)] ],
    [ clone3      => [qw(--cgroup-procs v2)] ],
) {
    my ($name, $arguments) = @{$case};
    subtest "$name @{$arguments}" => sub {
        my $tried =
            command({ env => { UB_TMPDIR => "$tmp" } }, "$BIN/$name", @{$arguments}, '--count', 3);
        plan skip_all => $tried->{err} if $tried->{status} == 77;
        is_deeply([ entries($tmp), running() ], [], 'nothing is left by one that ends by itself');
        for my $signal (qw(KILL TERM)) {
            my $got = killed($signal, {}, $name, @{$arguments});
            is($got->{status}, $signal eq 'KILL' ? 137 : 143, "SIG$signal ends it")
                or diag $got->{err};
            ok($got->{before}, "it had $got->{before}");
            is_deeply($got->{left}, [], "SIG$signal: nothing is left")
                if $signal eq 'TERM' && $name ne 'execl';
            is_deeply($got->{later}, [], "SIG$signal: the next program removes what is left");
        }
    };
}

subtest 'without a standard input' => sub {
    my $got = killed('TERM', { before => sub { close STDIN } }, qw(forkexec --phases));
    ok($got->{before}, 'it had a folder');
    is_deeply($got->{left}, [], 'SIGTERM: nothing is left');
};

subtest 'what is no copy stays' => sub {
    system('cp', "$BIN/execl", "$tmp/other") == 0 or die 'cp';
    my $got = command({}, "$tmp/other", qw(--noted 99 --own-target 1));
    isnt($got->{status}, 0, 'an image without a state fails');
    ok(-e "$tmp/other", 'and leaves its own file');
    unlink "$tmp/other";
};

subtest 'what others put there' => sub {
    mkdir "$tmp/others" or die "$!";
    spew("$tmp/others/file", 'text');
    my $own;
    my $put = sub {
        (my $program, $own) = @_;
        symlink "$tmp/others", "$own/link" or die "$!";
        mkdir "$own/folder"                or die "$!";
        spew("$own/folder/more", 'text');
        kill 'KILL', $program;
    };
    meanwhile($tmp, $put, {}, qw(vforkexec --own-target));
    wait_until(sub {
        command({ env => { UB_TMPDIR => "$tmp" } }, "$BIN/vforkexec", qw(--own-target --count 1));
        !-e $own;
    });
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
        my $put = sub {
            my ($program, $own) = @_;
            rename $own, "$shared/away" or die "$!";
            if   ($with eq 'link') { symlink "$shared/others", $own }
            else                   { rename "$shared/others", $own }
            kill 'KILL', $program;
        };
        meanwhile($shared, $put, {}, qw(vforkexec --own-target));
        wait_until(sub { !running() });
        command({ env => { UB_TMPDIR => "$shared" } }, "$BIN/vforkexec", qw(--own-target --count 1))
            for 1 .. 3;
        cmp_ok(scalar(() = glob "\Q$shared\E/*/file"), '>=', 1, "a $with: the file in it stays");
    }
};

subtest 'folders that no killed program has left' => sub {
    my $shared = scratch();
    mkdir "$shared/$_" or die "$!" for qw(spawnmeter-abcdefgh-AAAAAA spawnmeter-abcdefg other);
    my $got = meanwhile(
        $shared,
        sub {
            my ($program, $own) = @_;
            command({ env => { UB_TMPDIR => "$shared" } },
                "$BIN/vforkexec", qw(--own-target --count 1));
            ok(-e $own, 'that of a program that lives stays');
            kill 'TERM', $program;
        },
        {},
        qw(vforkexec --own-target)
    );
    my @stay = map { "$shared/$_" } qw(other spawnmeter-abcdefg spawnmeter-abcdefgh-AAAAAA);
    is_deeply([ sort(entries($shared)) ], \@stay, 'and those with other names');
};

# A handler would note it, and the next image would not know
subtest 'SIGTERM just before the next image' => sub {
    my $library = preload('stopped');
    for my $arguments ([], ['--own-target']) {
        for my $image (1 .. 3) {
            my $folder = scratch();
            my %env = (UB_TMPDIR => "$folder", LD_PRELOAD => $library, STOPPED_AT => $image);
            my $got = command({ env => \%env }, "$ROOT/pgms/execl", @{$arguments}, 5);
            is($got->{status}, 143, "execl @{$arguments}, image $image: it ends");
            delete @env{qw(LD_PRELOAD STOPPED_AT)};
            command({ env => \%env }, "$ROOT/pgms/execl", qw(--own-target --count 1));
            is_deeply([ entries($folder) ], [], 'and leaves nothing for more than one start');
        }
    }
};
done_testing;
