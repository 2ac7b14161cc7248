# SPDX-License-Identifier: GPL-2.0-or-later
# README, docs/platforms.md and .ci/run install the Debian packages that Run names.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Programs;

# The names behind "apt-get install" and its options, up to what follows
sub installed {
    my ($text) = @_;
    my @found;
    my $joined = $text =~ s/\\\n\s*//gr;
    while ($joined =~ /apt-get install ((?:-[\w=-]+ )*)([\w.+ -]+?) *(?:&&|$)/mg) {
        push @found, [ sort split q{ }, $2 ];
    }
    return @found;
}

my $debian = scratch();
mkdir "$debian/etc";
spew("$debian/etc/os-release", "ID=debian\n");
my ($named) = installed(SpawnMeter::Util::Programs::install_line("$debian"));
my @run = @{$named};
my @draw = 'gnuplot-nox';    # which draws the pictures of sweeps
my $readme = slurp_file("$ROOT/README");
is_deeply(
    [ installed($readme) ],
    [ \@run, \@run ],
    'the two commands of README install what Run and make check need'
);
is_deeply(
    [ $readme =~ /^ {4}apt-get update && apt-get install .* && (.+)$/mg ],
    [ './Run', 'make check' ],
    'one of them ends in the report, the other in the checks'
);
my @both = installed(slurp_file("$ROOT/docs/platforms.md"));
is_deeply(\@both, [ \@run, \@draw ], 'docs/platforms.md also what the pictures need');
my %ci = map { $_ => 1 } map { split } slurp_file("$ROOT/.ci/run") =~ /^packages=['"]([^'"]*)/mg;
is_deeply([ grep { !$ci{$_} } @run, @draw ], [], '.ci/run installs all of them');

done_testing;
