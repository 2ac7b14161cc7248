# SPDX-License-Identifier: GPL-2.0-or-later
# tools/remote with a stand-in for ssh: what it fetches, what it leaves, and what it says of a
# host that fails.
use lib 't/lib';
use TestHelp;
use File::Path qw(make_path);
use File::Temp ();

my $folder = File::Temp->newdir('sm-remote-XXXXXX', TMPDIR => 1);
executable("$folder/ssh", <<"SHELL");
host=\$1
shift
if [ "\$host" = gone ]; then
	echo "ssh: cannot reach gone" >&2
	exit 255
fi
mkdir -p "$folder/\$host"
cd "$folder/\$host" || exit
case \$host in
none) PATH=$folder/tools ;;
old) PATH=$folder/old:\$PATH ;;
built) PATH=$folder/built:\$PATH ;;
esac
HOME=\$PWD exec sh -c "\$*"
SHELL
mkdir "$folder/$_" for qw(tools old built);
executable("$folder/built/make", "[ -e pgms/fork ] || cp -Rp '$ROOT/pgms' .\n");
my @TOOLS = qw(awk cat cp cut dirname grep make mkdir mv nohup rm sed sh sha256sum tail tar tr
    uname cc);
symlink tool($_), "$folder/tools/$_" for @TOOLS;
executable("$folder/old/perl", <<'SHELL');
case $* in
*print*) printf 5.012005 ;;
esac
exit 1
SHELL

sub remote {
    my (@arguments) = @_;
    my %environment = (REMOTE_SSH => "$folder/ssh", REMOTE_RESULTS => "$folder/results");
    return command({ env => \%environment }, 'tools/remote', @arguments);
}

subtest 'hosts of which one cannot be reached, and two lack what ./Run needs' => sub {
    make_path(my $other = "$folder/one/.spawnmeter-fleet/other");
    my $got = remote(
        qw(one gone none old --),
        qw(--max-time 0.3 -c 1 --label),
        "it's one", qw(vfork pipe)
    );
    says($got, qr/^gone: ssh: cannot reach gone$/m, 'the reason', 1);
    like($got->{err}, qr/^not done: gone$/m, 'the host is named');
    my %lacks = (none => 'perl', old => 'perl 5.14 (it has 5.012005)');
    for my $host (sort keys %lacks) {
        my $reason = qr/^$host: measured by the bundle, .* since it lacks \Q$lacks{$host}\E$/m;
        like($got->{err}, $reason, "$host: the reason");
    }
    for my $host (qw(one none old)) {
        my ($run) = glob "$folder/results/$host/*/*.{json,samples}";
        my $shown = command({}, './Run', 'show', $run)->{out};
        my $samples = $host eq 'one' ? qr/\d+/ : 6;
        like($shown, qr/^Pipe Throughput .* $samples samples/m, "$host: its run is here");
        like($shown, qr/it's one/, 'options with blanks stay one') if $host eq 'one';
        my @left = grep { $_ ne $other } glob "$folder/$host/.spawnmeter*/*";
        is_deeply(\@left, [], "$host: nothing is left there");
    }
    ok(-d $other, 'but what has other options');
    like($got->{out}, qr/^Ranking of 3 machines/m, 'the others are compared');
    like($got->{out}, qr{^page: \Q$folder\E/results/compare[.]html$}m, 'also as a page');
};

subtest 'a host whose ./Run fails' => sub {
    my $got = remote(qw(built -- --frok));
    says($got, qr/^built: .*ended with status 2; .*log says why$/m, 'what to look at', 1);
};

done_testing;
