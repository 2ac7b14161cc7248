# SPDX-License-Identifier: GPL-2.0-or-later
# Measure::Boot with scripts in place of QEMU: to which functions the blocks of a creation belong,
# and what is said of a boot that does not come to its end.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Boot qw(boot_all functions parameters);

my $console = join "\r\n", 'ffffffff81000100 T two', 'ffffffff81000000 T one',
    'ffffffff81000000 t alias', 'ffffffff81000200 t three.isra.0', q{};
my $text = <<'END';
test
b 0000000000401000 5
b ffffffff81000000 10
b ffffffff81000040 2
b ffffffff81000040 1
b ffffffff81000100 20
b ffffffff81000200 30
c 63 5 0
END

sub listed {
    my ($printed, $image) = @_;
    return functions({ text => $text, console => $printed, image => $image || {} });
}
is_deeply(
    listed($console),
    { programs => 5, one => 13, two => 20, three => 30 },
    'a block belongs to the symbol before it, or to the programs'
);
my $shifted = $console =~ s/81000([012])00/810000${1}8/gr =~ s/810000/80ffff/gr;
is_deeply(listed($shifted), {}, 'symbols of another kernel do not fit');
is_deeply(listed(q{}), {}, 'without symbols there are no functions');
my $names = { programs => 5, first => 13, two => 20, three => 30 };
my $folder = scratch();
my $map = { symbols => spew("$folder/System.map", $console =~ s/one/first/r =~ s/\r//gr) };
is_deeply(listed($console, $map), $names, 'those of a System.map come first');
spew($map->{symbols}, $shifted);
is_deeply(listed($console =~ s/one/first/r, $map), $names, 'if they fit');

my %ends = (
    'echo test >counted; echo end >>counted'               => 'test end',
    'echo failed >counted; echo spawnmeter: /s/x >console' => 'a test failed',
    'echo VFS: Unable to mount root fs >console'           => 'CONFIG_BLK_DEV_INITRD',
    'echo Out of memory: Killed >console'                  => '--memory',
    'echo Kernel panic - not syncing: x >console'          => 'panicked.*syncing: x',
    'while :; do :; done'                                  => 'no end within 1 s',
    'echo no such machine >&2; exit 1'                     => 'QEMU failed.*no such machine',
    'exit 0'                                               => 'ended before the tests did',
);

for my $script (sort keys %ends) {
    my %boot = (folder => $folder, what => 'image', line => [ 'sh', '-c', $script ]);
    my $said;
    eval {
        boot_all([ \%boot ], 1, 1, sub { $said = $_[0]{text} });
        1;
    } or $said = ${$@};
    like($said =~ s/\s+/ /gr, qr/$ends{$script}/, $script);
}
like(
    eval {
        boot_all(
            [ {
                folder => $folder,
                what   => 'image',
                line   => [ 'sh', '-c', 'echo spawnmeter: cannot write >&2' ]
            } ],
            1, 1
        );
        1;
    } ? q{} : $@,
    qr/^image: spawnmeter: cannot write/,
    'no room is no fault of an image'
);

my %cleared = map { $_ => '112,297,580,395' } qw(4.19.0 5.4.0-1 5.10.0-32 5.17.3);
$cleared{$_} = 'rep_good,erms,fsrm,fsrs' for qw(5.18.0 5.19-rc1 6.1.0 10.2 unknown);
for my $version (sort keys %cleared) {
    my $line = parameters({ machine => 'x86_64', version => $version }, 'psi=1');
    like($line, qr/ clearcpuid=$cleared{$version} psi=1\z/, "string functions of $version");
}
unlike(parameters({ machine => 'aarch64', version => '6.1.0' }, q{}),
    qr/clearcpuid|\s\z/, 'another architecture has none');

done_testing;
