# SPDX-License-Identifier: GPL-2.0-or-later
# A program that is killed leaves no folder, no control group and no process, and a cleaner that
# follows no symbolic link.
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

# What is there before the signal, and a minute later
sub killed {
    my ($signal, $with, @line) = @_;
    my ($program, $before, @left);
    my $got = meanwhile($tmp, sub { ($program, $before) = @_; sleep 0.05; kill $signal, $program },
        $with, @line);
    wait_until(sub { !(@left = (entries($tmp), groups($program), running())) });
    return { %{$got}, before => $before, left => \@left };
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
            is_deeply($got->{left}, [], "SIG$signal: nothing is left");
        }
    };
}

# Its socket then had the descriptor that --phases takes
subtest 'without a standard input' => sub {
    my $got = killed('KILL', { before => sub { close STDIN } }, qw(forkexec --phases));
    ok($got->{before}, 'it had a folder');
    is_deeply($got->{left}, [], 'SIGKILL: nothing is left');
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
    my $own;
    my $put = sub {
        (my $program, $own) = @_;
        symlink "$tmp/others", "$own/link" or die "$!";
        mkdir "$own/folder"                or die "$!";
        spew("$own/folder/more", 'text');
        kill 'KILL', $program;
    };
    meanwhile($tmp, $put, {}, qw(vforkexec --own-target));
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
        my $put = sub {
            my ($program, $own) = @_;
            rename $own, "$shared/away" or die "$!";
            if   ($with eq 'link') { symlink "$shared/others", $own }
            else                   { rename "$shared/others", $own }
            kill 'KILL', $program;
        };
        meanwhile($shared, $put, {}, qw(vforkexec --own-target));
        wait_until(sub { !running() });
        sleep 0.5;    # the cleaner ends after the program
        my $files = sub { return scalar(() = glob "\Q$shared\E/*/file") };
        wait_until(sub { $files->() == 1 });
        is($files->(), 1, "a $with: the file in it stays");
    }
};

subtest 'a cleaner that cannot be started' => sub {
    plan skip_all => 'only root becomes a user who has no process' if $> != 0;
    plan skip_all => 'not installed: prlimit and setpriv' if !tool('prlimit') || !tool('setpriv');
    my $folder = scratch();
    spew("$folder/execl", slurp_file("$BIN/execl"));
    chmod oct 777, "$folder", "$folder/execl";
    my @user = ('setpriv', '--reuid', OTHER, '--regid', OTHER, '--clear-groups');
    my @said = map {
        command({ env => { UB_TMPDIR => "$folder" } },
            'prlimit', "--nproc=$_", @user, "$folder/execl", qw(--own-target --count 20))
    } 1 .. 6;
    my $said = join q{}, map { $_->{err} } @said;
    like($said, qr/^COUNT[|]20[|]/m, 'with enough processes it runs');
    is_deeply([ entries($folder) ], ["$folder/execl"], 'with fewer it leaves nothing either');
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
            wait_until(sub { !entries($folder) });
            is_deeply([ entries($folder) ], [], 'and leaves nothing');
        }
    }
};
done_testing;
