# SPDX-License-Identifier: GPL-2.0-or-later
# A tree that cannot be written to: Run builds, measures and stores in the user's folders.
use lib 't/lib';
use TestHelp;
use Packaging;

my $folder = scratch();
my $tree = "$folder/tree with a blank";
chmod 0755, "$folder";
rename unpacked(tarball("$folder"), "$folder"), $tree or die;

# make builds in no folder with a blank in its name
my $home = File::Temp->newdir('sm-home-XXXXXX', TMPDIR => 1);
chown 65_534, 65_534, $home if $> == 0;
my %env = (HOME => $home, map { $_ => undef } qw(XDG_DATA_HOME XDG_CACHE_HOME CC CFLAGS));
my @SHORT = qw(-c 1 --max-time 0.3);
my ($results, $cache) = ("$home/.local/share/spawnmeter", "$home/.cache/spawnmeter");

sub user_runs {
    my (@arguments) = @_;
    return command({ folder => $home, env => \%env }, as_user("$tree/Run", @arguments));
}

SKIP: {
    skip 'not root', 5 if !must_be_root('own a tree that another user runs');
    subtest 'a tree without programs' => sub {
        my $run = user_runs(@SHORT, qw(fork forkexec shell1));
        is($run->{status}, 0, 'status') or diag $run->{err};
        my ($message) = $run->{err} =~ /\A(.*?)building/s;
        is($message, "Results are stored in $results\n", 'where the results are');
        unlike($run->{out}, qr/failed|skipped/, 'no test fails') or diag $run->{out};
        is(scalar(() = glob "\Q$results\E/*.json"), 1, 'the run is stored');
        my $printed = $run->{out} =~ s/^Stored: .*//msr;
        is(user_runs(qw(show latest))->{out}, $printed, 'show finds it');
        unlike(user_runs(@SHORT, 'fork')->{err}, qr/^building/m, 'the second run builds nothing');
        is_deeply([ grep { -e "$tree/$_" } qw(build tmp pgms/fork results/home) ],
            [], 'nothing is in the tree');
    };

    subtest 'a home with a blank in its name' => sub {
        local $env{XDG_CACHE_HOME} = "$home/a blank";
        says(user_runs(@SHORT, 'fork'),
            qr/^make cannot build in .*blank.*; set XDG_CACHE_HOME to another/m, 'status');
    };

    subtest 'neither programs nor a home' => sub {
        local @env{qw(HOME UB_RESULTDIR UB_TMPDIR)} = ('/nonexistent', "$home/r", "$home");
        says(user_runs(@SHORT, 'fork'),
            qr{^Run: the test programs must be built, and .*; set XDG_CACHE_HOME}m, 'status');
    };

    subtest 'a tree with programs' => sub {
        command({}, 'cp', '-pR', "$ROOT/pgms", $tree);
        command({}, 'touch', glob "\Q$tree\E/pgms/*");
        command({}, 'rm', '-r', "$home/.cache");
        my $run = user_runs(@SHORT, 'fork');
        is($run->{status}, 0, 'status') or diag $run->{err};
        unlike($run->{err}, qr/built in|^building/m, 'its programs are used');
        like($run->{err}, qr/^Results are stored in \Q$results\E$/m, 'results');
        local $env{UB_RESULTDIR} = "$home/named";
        local $env{UB_TMPDIR} = '/tmp';
        unlike(
            user_runs(@SHORT, 'fork')->{err},
            qr/ in \Q$home\E/,
            'UB_ variables for both: no message'
        );
    };

}

# Root can write everywhere but to such a file system
SKIP: {
    my @mount = (
        'unshare', '--mount', 'sh', '-c',
        'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 99; shift; exec "$@"',
        'sh', $tree
    );
    skip 'not root', 1 if !must_be_root('mount a read-only file system');
    if (!tool('unshare') || command({}, @mount, 'true')->{status} != 0) {
        lacks('a file system cannot be mounted read-only here', 1);
        last SKIP;
    }
    subtest 'a read-only file system, as root' => sub {
        my $run = command({ folder => $home, env => \%env }, @mount, "$tree/Run", @SHORT, 'fork');
        says($run, qr/^Results are stored in \Q$results\E$/m, 'status', 0);
        unlike($run->{err}, qr/Read-only|make failed/, 'nothing else');
    };
}
done_testing;
