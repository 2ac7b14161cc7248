# SPDX-License-Identifier: GPL-2.0-or-later
# Whether so many copies have room.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Counters qw(available);
use SpawnMeter::Measure::Session;

plan skip_all => 'there is no /proc to read limits from' if !-r '/proc/self/limits';

# The cells' reasons
sub skipped {
    my ($cells, @options) = @_;
    SpawnMeter::Measure::Session::skip_without_room($cells, \@options);
    return [ map { $_->{skip} } @{$cells} ];
}

sub cell {
    my ($copies, @options) = @_;
    return { copies => $copies, options => [@options], skip => undef };
}

my $why = skipped([ cell(1), cell(2) ]);
is_deeply($why, [ undef, undef ], 'one and two copies have room');
$why = skipped([ cell(1), cell(2), cell(2) ], '--heap', '800000G');
is($why->[0], undef, 'one copy: its program looks for room itself');
like($why->[1],
    qr/^2 copies need about \d+ MB of memory, and \d+ MB are available, of which heaps may/,
    'memory');
$why = skipped([ cell(9_999_999_999) ]);
like($why->[0], qr/^9999999999 copies need 10000000015 open files, and the limit is \d+; raise it/,
    'open files');

# ./Run ab: the option of one side; both are skipped
my @sides = map {
    { %{ cell(2) }, test => 'fork', of_side => { options => $_ } }
} [], [ '--heap', '800000G' ];
$why = skipped([ @sides, { %{ $sides[0] }, test => 'vfork' } ]);
like($why->[1], qr/MB of memory/, 'an option of side B');
is($why->[0], $why->[1], 'side A of this test is not measured either');
is($why->[2], undef, 'another test is');

# In turns both sides are there at the same time
sub of_both {
    my ($turns, @sizes) = @_;
    my @both = map {
        { %{ cell(1) }, test => 'fork', of_side => { options => [ '--heap', $_ ] } }
    } @sizes;
    SpawnMeter::Measure::Session::skip_without_room(\@both, [], $turns);
    return map { $_->{skip} } @both;
}
my $half = int(available(q{}) / 2 / 1024);
is_deeply([ of_both(0, ("${half}k") x 2) ], [ undef, undef ], 'two halves one after the other');
my @skips = of_both(1, ("${half}k") x 2);
like(
    $skips[1],
    qr/^2 copies need about \d+ MB .* three quarters; run fewer copies$/,
    'but not in turns'
);
is($skips[0], $skips[1], 'neither is measured');

subtest 'a busy machine' => sub {
    no warnings qw(once redefine);
    local *SpawnMeter::Measure::Session::cpus_in_use = sub { return 2 };
    my $facts = bless { root => q{} }, 'TwoCPUs';
    local *TwoCPUs::online_cpus = sub { return 2 };
    my $said = q{};
    my %session = (facts => $facts, sweep => {}, say => sub { $said .= $_[0] });
    SpawnMeter::Measure::Session::say_busy(
        { %session, suite => { option => {} }, progress => \my %progress });
    like(
        $said,
        qr/^Other processes use 2[.]0 CPUs: .* longer \(less with --quick\)[.]$/,
        'is said with the shorter way'
    );
    is($progress{busy}, 1, 'and known where the time is announced');
    $said = q{};
    SpawnMeter::Measure::Session::say_busy({ %session, suite => { option => { quick => 1 } } });
    unlike($said, qr/--quick/, 'which --quick is');
};
done_testing;
