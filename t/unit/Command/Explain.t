# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run explain with stored sweeps of this machine, and with stand-ins for what is missing.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use InProcess;
use RunWriter qw(write_run);
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Command::Sweep;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Store::Find;

my $tree = small_tree();
my $results = "$tree/results";
unlink "$tree/pgms/sweeps.list";

# Two values of each long axis: a pass of a stand-in takes time, too
spew("$tree/pgms/sweeps.list",
    slurp_file("$ROOT/pgms/sweeps.list") =~
        s/^((?:memory|files|threads|mappings|environment) .*\| *\S+ \S+) .*$/$1/mgr);
my @needed = map { $_->{sweep} } SpawnMeter::Analysis::CostModel::needed();
my $here = SpawnMeter::Machine::Facts->new->facts;

# The sweeps, measured together, as those of this machine: of each value the first five passes
my @runs = map { GoldenRuns::sweep($ROOT, $_) } @needed;
my @passes = map {
    my $name = $_->{sweep}{name};
    map { { %{$_}, value => "$name $_->{value}" } } grep { ($_->{at} || 0) < 13 } @{ $_->{passes} };
} @runs;
my %sweep = (
    name   => 'explain',
    title  => 'Cost of a process',
    axis   => 'sweep and value',
    values => [],
    x      => [],
    series => [],
    parts  => [ map { $_->{sweep} } @runs ],
);
my %run = (%{ $runs[0] }, sweep => \%sweep, passes => \@passes, system => $here);

# The number of the sweeps that are stored
sub sweeps {
    return scalar grep { SpawnMeter::Store::Find::kind($_) eq 'sweep' } glob "\Q$results\E/*.json";
}

write_run("$results/stored.json", \%run);
my $all = run_in($tree, {}, 'explain');
is($all->{status}, 0, 'status 0') or diag $all->{err};
unlike($all->{err}, qr/Measuring/, 'nothing is measured where the sweeps are stored');
like($all->{out}, qr/^ +base +MB touched .*\nfork +[\d.]+us +[\d.]+us +/m, 'the cost of fork');
unlike($all->{out}, qr/Sweeps that were not measured/, 'from all sweeps');
like(
    $all->{out},
    qr/^Measured on \d{4}-\d\d-\d\d \d\d:\d\d, stored as \S+[.]  To measure again: /m,
    'it says when, and how to measure again'
);

unlink "$tree/pgms/clone";
symlink "$ROOT/t/programs/fails", "$tree/pgms/clone";
my $anew = run_in($tree, {}, qw(explain --again -i 1 --slice 0.02));
is($anew->{status}, 1, 'a test that fails: status 1');
like($anew->{err}, qr/Measuring/, '--again measures');
like($anew->{err}, qr/^  files: fork, 1?0+ +1 pass /m, 'the progress names the sweep');
is(sweeps(), 2, 'all sweeps together');
my ($path) = map { "$tree/results/$_" } $anew->{out} =~ /^Stored: (.*)$/m;
like(slurp_file($path), qr/^Cost model.*^fork +\d.*^true-static +\d/ms, 'its text is stored');
like(slurp_file($path), qr/^INCOMPLETE: /m, 'which says that a test failed');
like(slurp_file("$path.html"), qr/<h1>.*<pre>Conclusions.*^Cost model:/ms, 'and its page');

# What is stored and not used
sub used {
    my (%fields) = @_;
    write_run("$results/stored.json", { %run, passes => [ $passes[0] ], %fields });
    my $suite = { results => $results };
    return scalar keys %{ SpawnMeter::Command::Sweep::stored($suite, $here, 'explain') };
}
unlink glob "\Q$results\E/*.json";
is(used(), 1, 'a complete run of sweeps is used');
is(used(complete => 0, reason => 'stopped'), 0, 'an incomplete one is not');
is(used(system   => { %{$here}, kernel_release => 'other' }), 0, 'nor that of another kernel');
done_testing;
