# SPDX-License-Identifier: GPL-2.0-or-later
# Measure::Boot without a boot: to which functions the blocks of a creation belong.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Boot qw(functions);

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

done_testing;
