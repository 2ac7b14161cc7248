# SPDX-License-Identifier: GPL-2.0-or-later
# Modules lie in layers and use only their own layer and those below it; each kind of
# breach is planted once in a copy and must be reported.
use lib 't/lib';
use TestHelp;

my $tool = "$ROOT/tools/layers";

my $graph = command({}, $^X, $tool);
is($graph->{status}, 0, 'no module uses one above it, and none are in a circle')
    or diag grep { /^BROKEN/ } split /^/m, $graph->{out};
like(
    $graph->{out},
    qr/^\d{2,} modules, \d{2,} arrows, 0 broken$/m,
    'the graph has modules and arrows'
);

# A copy of the modules in which one breach is planted
sub planted {
    my ($module, $line) = @_;
    my $folder = scratch();
    command({}, 'cp', '-r', "$ROOT/lib/SpawnMeter", "$folder/SpawnMeter");
    my $path = "$folder/SpawnMeter/" . ($module =~ s{::}{/}gr) . '.pm';
    if (my ($parent) = $path =~ m{^(.*)/}) { mkdir $parent if !-d $parent }
    my $old = slurp_file($path);
    spew($path,
        (defined $old ? $old : "package SpawnMeter::$module;\n1;\n") =~ s/^1;$/$line\n1;/mr);
    return command({}, $^X, $tool, "$folder");
}

my @breaches = (
    {
        what    => 'an upward arrow',
        module  => 'Util::File',
        line    => 'use SpawnMeter::Report::Text;',
        message => qr/^BROKEN: Util::File uses Report::Text, which lies above it$/m,
    },
    {
        what    => 'an upward arrow by a qualified call',
        module  => 'Analysis::Score',
        line    => 'sub planted { return SpawnMeter::Store::Find::newest(@_) }',
        message => qr/^BROKEN: Analysis::Score uses Store::Find, which lies above it$/m,
    },
    {
        what    => 'a circle in one layer',
        module  => 'Analysis::Results',
        line    => 'require SpawnMeter::Analysis::Score;',
        message => qr/^BROKEN: circle: Analysis::Results -> Analysis::Score -> Analysis::Results$/m,
    },
    {
        what    => 'a module in no layer',
        module  => 'Helpers::Misc',
        line    => q{},
        message => qr/^BROKEN: Helpers::Misc is in no layer$/m,
    },
);
for my $breach (@breaches) {
    my $got = planted(@{$breach}{qw(module line)});
    is($got->{status}, 1, "$breach->{what} fails");
    like($got->{out}, $breach->{message}, "$breach->{what} is named");
}
done_testing;
