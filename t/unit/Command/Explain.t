# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run explain with stored sweeps of this machine, and with stand-ins for what is missing.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use InProcess;
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Store::RunFile qw(load);
use SpawnMeter::Util::File     qw(encode);

my $tree = small_tree();
my $results = "$tree/results";
unlink "$tree/pgms/sweeps.list";

# Two values of each long axis: a pass of a stand-in takes time, too
spew("$tree/pgms/sweeps.list",
    slurp_file("$ROOT/pgms/sweeps.list") =~
        s/^((?:memory|files|threads|mappings|environment) .*\| *\S+ \S+) .*$/$1/mgr);
my @needed = map { $_->{sweep} } SpawnMeter::Analysis::CostModel::needed();
my $here = SpawnMeter::Machine::Facts->new->facts;

# Stores the sweeps, measured together, as those of this machine, with changes of the facts
# and of the fields
sub stored {
    my ($facts, %fields) = @_;
    my @runs = map { GoldenRuns::sweep($ROOT, $_) } @needed;
    my @passes;
    for my $run (@runs) {
        push @passes,
            map { { %{$_}, value => "$run->{sweep}{name} $_->{value}" } } @{ $run->{passes} };
    }
    my %sweep = (
        name   => 'explain',
        title  => 'Cost of a process',
        axis   => 'sweep and value',
        values => [],
        x      => [],
        series => [],
        parts  => [ map { $_->{sweep} } @runs ],
    );
    my %run = (
        %{ $runs[0] },
        sweep  => \%sweep,
        passes => \@passes,
        system => { %{$here}, %{ $facts || {} } }
    );
    spew("$results/stored.json", encode({ %run, %fields }));
    return;
}

# The number of the sweeps that are stored
sub sweeps {
    return scalar grep { load($_)->{kind} eq 'sweep' } glob "\Q$results\E/*.json";
}

stored();
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

my $anew = run_in($tree, {}, qw(explain --again -i 1));
like($anew->{err}, qr/Measuring/, '--again measures');
like($anew->{err}, qr/^  files: fork, 1?0+ +1 pass /m, 'the progress names the sweep');
my ($path) = map { "$tree/results/$_" } $anew->{out} =~ /^Stored: (.*)$/m;
like(slurp_file($path), qr/^Cost model.*^fork +\d/ms, 'its text is stored');
like(slurp_file("$path.html"), qr/<h1>.*<pre>Conclusions.*^Cost model:/ms, 'and its page');

unlink glob "\Q$results\E/*.json";
stored({}, complete => 0, reason => 'stopped');
my $again = run_in($tree, {}, qw(explain -i 1 --slice 0.02));
is($again->{status}, 0, 'an incomplete sweep: status 0') or diag $again->{err};
is(sweeps(), 2, 'an incomplete sweep: all are measured again, together');

unlink "$tree/pgms/fork", glob "\Q$results\E/*.json";
stored({ kernel_release => 'other' });
symlink "$ROOT/t/programs/fails", "$tree/pgms/fork";
my $failed = run_in($tree, {}, qw(explain -i 1 --slice 0.02));
is($failed->{status}, 1, 'a test that fails: status 1');
is(sweeps(), 2, 'another kernel: all are measured again');
like($failed->{out}, qr/^true-static +\d/m, 'a test that fails: the others are explained');
like($failed->{out}, qr/^INCOMPLETE: /m, 'a test that fails: the text says so');
done_testing;
