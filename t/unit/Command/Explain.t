# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run explain with stored sweeps of this machine, and with stand-ins for what is missing.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use GoldenRuns;
use InProcess;
use TestHelp;
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Command::Explain;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Util::Json qw(decode encode);

my $tree = small_tree();
my $results = "$tree/results";
unlink "$tree/pgms/sweeps.list";
spew("$tree/pgms/sweeps.list",
    slurp_file("$ROOT/pgms/sweeps.list") =~
        s/^memory\s*\|.*$/memory|Size|heap|fork|--heap VALUE|0 1M/mr);
my @needed = SpawnMeter::Analysis::CostModel::needed();
my $here = SpawnMeter::Machine::Facts->new->facts;

# Stores the sweep as one of this machine, with changes of the facts and of the fields
sub stored {
    my ($name, $facts, %fields) = @_;
    my $run = GoldenRuns::sweep($ROOT, $name);
    $run->{system} = { %{$here}, %{ $facts || {} } };
    spew("$results/sweep-$name.json", encode({ %{$run}, %fields }));
    return;
}

# The number of the sweeps that are stored
sub sweeps {
    return scalar grep { decode(slurp_file($_))->{kind} eq 'sweep' } glob "\Q$results\E/*.json";
}

stored($_) for @needed;
my $all = run_in($tree, {}, 'explain');
is($all->{status}, 0, 'status 0') or diag $all->{err};
unlike($all->{err}, qr/Measuring/, 'nothing is measured where all sweeps are stored');
is(sweeps(), scalar @needed, 'and no sweep is stored');
like($all->{out}, qr/^fork\n  base +[\d.]+us\n  per MB touched +/m, 'the cost of fork');
unlike($all->{out}, qr/Sweeps that were not measured/, 'from all sweeps');

for my $case (
    [ 'another kernel'      => { kernel_release => 'other' } ],
    [ 'another CPU'         => { cpu_model      => 'other' } ],
    [ 'an incomplete sweep' => {}, complete => 0, reason => 'stopped' ],
) {
    my ($what, $facts, %fields) = @{$case};
    unlink grep { !m{/sweep-} } glob "\Q$results\E/*.json";
    stored('memory', $facts, %fields);
    my $again = run_in($tree, {}, qw(explain -i 1 --slice 0.02));
    is($again->{status}, 0, "$what: status 0") or diag $again->{err};
    is(sweeps(), @needed + 1, "$what: this sweep is measured again, and no other");
    unlike($again->{out}, qr/: time of one creation, by /, "$what: its own report is not printed");
}

unlink "$tree/pgms/fork", "$results/sweep-memory.json";
unlink grep { !m{/sweep-} } glob "\Q$results\E/*.json";
symlink "$ROOT/t/programs/fails", "$tree/pgms/fork";
my $failed = run_in($tree, {}, qw(explain -i 1 --slice 0.02));
is($failed->{status}, 1, 'a sweep that fails: status 1');
like($failed->{out}, qr/Sweeps that were not measured/,
    'a sweep that fails: the rest is explained');
done_testing;
