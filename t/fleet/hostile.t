# SPDX-License-Identifier: GPL-2.0-or-later
# fleet/site.yml against hosts that attack the machine where it is called: what they say of
# themselves, print, send and call their facts.  t/cli/remote.t has tools/remote.  Only with LONG=1
# (make check-long).
use lib 't/lib';
use TestHelp;
use FleetHosts;

plan skip_all => 'with LONG=1' if !$ENV{LONG};
enter();
my $ran = "/tmp/sm-hostile-$$";    # the first part of a path on each host, too
my %machine = (
    shell      => "x86_64; touch $ran; #",
    make       => "\$(shell touch $ran)",
    backquotes => "`touch $ran`",
    eval       => "\$(eval X := \$(shell touch $ran))",
    options    => "--eval=X:=\$(shell touch $ran) -f /dev/null",
    jinja      => "{{ lookup('pipe', 'touch $ran') }}",
);

# The sh of a host that answers some actions of measure.sh by itself
sub sh_of {
    my (%answer) = @_;
    my $cases = join q{}, map { "*' $_ '*) $answer{$_} ;;\n" } sort keys %answer;
    return "#!/bin/dash\ncase \" \$* \" in\n*' -c '*) ;;\n$cases"
        . "esac\nexec /bin/dash \"\$@\"\n";
}

# No bundle can be made for the last one
my %kind = map {
    my $name = $machine{$_} || 'pdp11';
    my $text = $name =~ s/(['\\])/\\$1/gr;
    $_ => {
        sh    => sh_of(lacks => 'cat >/dev/null; echo perl; exit'),
        uname => "#!/bin/sh\necho Linux\ncat <<'END'\n$name\nEND\n",
        pth   => "import platform; platform.machine = lambda: '$text'\n"
    }
} keys %machine, 'odd';
my %ready = (lacks => 'cat >/dev/null; exit', build => 'exit', doctor => 'exit', start => 'exit');
$kind{flood} = { sh => sh_of(%ready, state => 'yes | head -c 3000000; exit') };
$kind{archive} = {
    sh => sh_of(
        %ready,
        state => 'echo done; exit',
        pack  => 'mkdir -p "$3"; head -c 90000000 /dev/zero >"$3/archive.tar"; '
            . 'sha256sum "$3/archive.tar" | cut -c 1-64; exit'
    )
};

# Whatever a module prints says more than it should: its facts are variables of the role
my $said = q({"spawnmeter_compare": ["--to", "RAN"], "spawnmeter_results": "RAN", "sm_x": 1, )
    . q("spawnmeter_timeout": 1}) =~ s/RAN/$ran/gr;
my $hook =
      'import json; json.dumps = lambda o, *a, own=json.dumps, **k: own(dict(o, ansible_facts='
    . "dict(o.get('ansible_facts', {}), **$said), warnings=['\\x1b[2J \\x9b wiped\\rx']) "
    . "if isinstance(o, dict) and 'invocation' in o else o, *a, **k)\n";
$kind{facts} = {
    sh => sh_of(
        %ready,
        doctor => q{printf '\\033[2J {{ 617 * 739 }}\\n' ; exit},
        state  => 'echo running; exit'
    ),
    pth => $hook
};
my $fleet = start(\%kind);
END { local $?; stop($fleet) if $fleet }
my $folder = $fleet->{folder};
my $inventory = inventory($fleet, {});

# Variables of the command line would outrank a host's facts
spew($inventory, slurp_file($inventory) . <<"TEXT");
spawnmeter_options=["--max-time", "1", "-c", "1", "fork"]
spawnmeter_poll=2
spawnmeter_timeout=6
spawnmeter_results=$folder/results
spawnmeter_install=false
TEXT
my $play = play($fleet, 'site', {});
my %line = %{ $play->{host} };
subtest 'the playbook' => sub {
    isnt($play->{status}, 0, 'the exit status is not 0');
    for my $host (sort keys %machine) {
        like(
            $line{$host},
            qr/^failed; There is a bundle for it: .* it says that it is Linux on /,
            "$host: the machine's name is refused"
        );
    }
    like(
        $line{odd},
        qr/^failed; .*: it lacks perl, and no bundle for it can be made here: .*pdp11/,
        'no bundle can be made for a host'
    );
    my %failed = (
        flood   => qr/Wait until .*the host printed over 1 MB/,
        facts   => qr/It was not killed: it did not end within 6 s/,    # as is said here
        archive => qr/Fetch the archive/                                # too large
    );
    like($line{$_}, qr/^failed; $failed{$_}/, "$_: why") for sort keys %failed;
    my @files = glob "\Q$folder\E/results/archive/*.tar";
    is(scalar(grep { -s > 64 * 1024**2 } @files), 0, 'no more than 64 MB of it are written');
    ok(!-e $ran, 'nothing runs or is written where a host says');
    unlike($play->{out} . $play->{err}, qr/[^\n -~]/, 'no control character is printed');
    like($play->{out} . $play->{err}, qr/\\x1b\[2J/, 'they are made visible');
    unlike($play->{out}, qr/455963/, 'no template of a host is expanded');
} or diag map { "$_: $line{$_}\n" } sort keys %line;

done_testing;
