# SPDX-License-Identifier: GPL-2.0-or-later
# tools/remote with a stand-in for ssh: what it fetches, what it leaves, and what it says of a
# host that fails.
use lib 't/lib';
use TestHelp;
use File::Temp ();

my $folder = File::Temp->newdir('sm-remote-XXXXXX', TMPDIR => 1);
spew("$folder/ssh", <<"SHELL");
#!/bin/sh
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
esac
HOME=\$PWD exec sh -c "\$*"
SHELL
mkdir "$folder/$_" for qw(tools old);
my @TOOLS = qw(awk cat cp cut dirname grep make mkdir mv nohup rm sed sh sha256sum tail tar tr
    uname cc);
symlink tool($_), "$folder/tools/$_" for @TOOLS;
spew("$folder/old/perl", <<'SHELL');
#!/bin/sh
case $* in
*print*) printf 5.012005 ;;
esac
exit 1
SHELL
chmod oct 755, "$folder/ssh", "$folder/old/perl";

sub remote {
    my (@arguments) = @_;
    my %environment = (
        REMOTE_SSH     => "$folder/ssh",
        REMOTE_RESULTS => "$folder/results",
        MAKEFLAGS      => undef,
        MAKELEVEL      => undef,
    );
    return command({ env => \%environment }, 'tools/remote', @arguments);
}

my @options = (qw(--max-time 0.3 -c 1 --label), "it's one", 'fork');
subtest 'three hosts, of which one cannot be reached' => sub {
    my $got = remote(qw(one gone two --), @options);
    says($got, qr/^gone: ssh: cannot reach gone$/m, 'the reason', 1);
    like($got->{err}, qr/^not done: gone$/m, 'the host is named');
    like($got->{out}, qr/^fork +\d/m, 'the others are compared');
    for my $host (qw(one two)) {
        is(scalar(() = glob "$folder/results/$host/*/*.json"), 1, "$host: its run is here");
        is(scalar(() = glob "$folder/$host/.spawnmeter*"), 0, "$host: nothing is left there");
    }
    my ($run) = glob "$folder/results/one/*/*.json";
    like(command({}, './Run', 'show', $run)->{out}, qr/it's one/, 'options with blanks stay one');
};

subtest 'hosts that ./Run does not run on' => sub {
    my $got = remote(qw(none old --), @options[ 0 .. 3 ], qw(vfork pipe));
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    my %lacks = (none => 'perl', old => 'perl 5.14 (it has 5.012005)');
    for my $host (sort keys %lacks) {
        like(
            $got->{err},
            qr/^$host: measured by the bundle, .* since it lacks \Q$lacks{$host}\E$/m,
            "$host: the reason"
        );
        my ($samples) = glob "$folder/results/$host/*/*.samples";
        my $shown = command({}, './Run', 'show', $samples)->{out};
        like($shown, qr/^Pipe Throughput +[\d.]+ lps .* 6 samples/m, "$host: its run is here");
        is(scalar(() = glob "$folder/$host/.spawnmeter*"), 0, "$host: nothing is left there");
    }
    like($got->{out}, qr/^vfork +\d/m, 'both are compared');
    like(
        $got->{out},
        qr{^page: \Q$folder\E/results/compare[.]html$}m,
        'the comparison is also a page'
    );
    says(
        remote(qw(none --), '--pin', 'fork'),
        qr/^none: the bundle does not have --pin$/m,
        'an option that changes what is measured', 1
    );
};

subtest 'a host whose ./Run fails' => sub {
    says(
        remote('one', '--', '--frok'),
        qr/^one: .*ended with status 2; .*log says why$/m,
        'what to look at', 1
    );
};

subtest 'bad input' => sub {
    says(remote(), qr/^usage: /, 'no host');
    says(
        remote('--quick', 'one'),
        qr/follow --: tools\/remote HOST... -- --quick/,
        'an option before the hosts'
    );
};
done_testing;
