# SPDX-License-Identifier: GPL-2.0-or-later
# tools/remote against hosts that attack the machine where it is called: a stand-in for ssh
# answers for them.  t/fleet/remote.t measures.
use lib 't/lib';
use TestHelp;

my $folder = File::Temp->newdir('sm-remote-XXXXXX', TMPDIR => 1);    # no blanks, for REMOTE_SSH
my $ran = "$folder/ran";

# What uname -m prints on hosts that lack perl
my %machine = (
    shell      => "x86_64; touch $ran; #",
    make       => "\$(shell touch $ran)",
    backquotes => "`touch $ran`",
    eval       => "\$(eval X := \$(shell touch $ran))",
    options    => "--eval=X:=\$(shell\${IFS}touch\${IFS}$ran) -f /dev/null",
);
spew("$folder/$_.machine", "Linux\n$machine{$_}\n") for keys %machine;

executable("$folder/ssh", <<"SHELL");
# host, command
case "\$*" in
*'state '*) [ "\$1" != flood ] || exec yes
	case \$1 in
	running) echo running ;;
	errors) printf 'ssh: \\033[2Jno such\\rhost\\r\\n' >&2; exit 255 ;;
	archive | sum) echo 'done' ;;
	state) printf '\\033]0;title\\007done\\n' ;;
	*) echo none ;;
	esac ;;
*lacks*) echo perl ;;
*uname*) cat $folder/\$1.machine ;;
*'pack '*) [ \$1 = sum ] && echo '../../etc --option' ||
	echo 0000000000000000000000000000000000000000000000000000000000000000 ;;
archive*archive.tar) cat /dev/zero ;;
esac
SHELL

sub remote {
    my (@hosts) = @_;
    my %environment = (
        REMOTE_SSH     => "$folder/ssh",
        REMOTE_RESULTS => "$folder/results",
        REMOTE_TIMEOUT => 1,
    );
    return command({ env => \%environment }, 'tools/remote', @hosts);
}

subtest 'hosts whose machine is text for a shell or for make' => sub {
    my $got = remote(sort keys %machine);
    is($got->{status}, 1, 'status 1');
    for my $host (sort keys %machine) {
        like($got->{err}, qr/^$host: the bundle is for Linux only; uname prints Linux/m, $host);
    }
    ok(!-e $ran, 'nothing of it runs here');
};

subtest 'hosts that print too much, or never end' => sub {
    my $got = remote(qw(flood archive running));
    like($got->{err}, qr/^flood: it printed over 16 kB, and was stopped$/m, 'an endless answer');
    like($got->{err}, qr/^archive: it printed over 64 MB, and was stopped$/m, 'an endless archive');
    my ($file) = glob "\Q$folder\E/results/archive/*.tar";
    cmp_ok(-s $file, '<=', 64 * 1024**2, 'no more of it is written');
    like($got->{err}, qr/^running: it did not end within 1 s; REMOTE_TIMEOUT/m, 'always running');
    like($got->{err}, qr/^not done: flood archive running$/m, 'and all were tried');
};

subtest 'hosts whose answers are for a terminal, or no answers' => sub {
    my $got = remote(qw(errors state sum));
    unlike($got->{out} . $got->{err}, qr/[^\n -~]/, 'no control character is printed');
    like($got->{err}, qr/^errors: ssh: \\x1b\[2Jno such\\x0dhost$/m, 'they are made visible');
    like($got->{err}, qr/^state: its state is '\\x1b\]0;title/m, 'a state that is none');
    like($got->{err}, qr/^sum: the checksum of its archive is '[.]{2}/m, 'a checksum that is none');
};

subtest 'host names that ssh takes for options' => sub {
    for my $name (" -oProxyCommand=touch $ran", '-oProxyCommand=x', "web\n-l", q{}) {
        says(
            remote($name),
            qr/^tools\/remote: (?:'.*' is not a host: a letter|options such as)/,
            "'$name' is refused"
        );
    }
    ok(!-e $ran, 'nothing of it runs here');
    says(remote(), qr/^usage: /, 'no host');
    says(remote(qw(--quick one)), qr{follow --: tools/remote HOST... -- --quick},
        'an option first');
};
my $without = command({ env => { REMOTE_SSH => 'no-ssh' } }, 'tools/remote', 'host');
says($without, qr/^no-ssh is not installed$/, 'a machine without ssh');

done_testing;
