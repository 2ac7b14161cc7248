# SPDX-License-Identifier: GPL-2.0-or-later
# A and B on a machine that moves from pass to pass, which the reference loops in pauses see.
use lib 't/lib';
use TestHelp;
use SidePass;
use SpawnMeter::Analysis::AB qw(summary);
use SpawnMeter::Report::AB   qw();
use SpawnMeter::Util::Random;

my $random = SpawnMeter::Util::Random->new(7);

# Nearly
sub normal {
    my $sum = -6;
    $sum += $random->below(1_000_001) / 1e6 for 1 .. 12;
    return $sum;
}

# Rounds of passes of a test; B is so many times as fast, and its loops so many times
sub passes {
    my ($test, $factor, %with) = @_;
    return map {
        my $round = $_;
        map { one_pass($test, $round, $_, $factor, %with) } qw(A B)
    } 1 .. $with{rounds} || 40;
}

sub one_pass {
    my ($test, $round, $side, $factor, %with) = @_;
    my $level = 0.05 * normal();
    my ($own, $loops) = $side eq 'B' ? ($factor, $with{loops} || 1) : (1, 1);
    my @within = map { {
        page_faults   => 4e5 * $loops * exp($level + 0.01 * normal()),
        sparse_faults => 3e5 * $loops * exp($level + 0.01 * normal()),
    } } 1, 2;
    my $rate = 1000 * $own * exp($level + 0.01 * normal());
    return side_pass($test, $round, $side, $rate, $with{without} ? {} : { within => \@within });
}

our $with_option = 1;

sub summary_of {
    my (@passes) = @_;
    my %test = map { $_->{test} => 1 } @passes;
    my $run = {
        sides    => [ { name => 'A' }, { name => 'B' } ],
        protocol => { name => 'settle', precision => 0.01, steadied => $with_option },
        tests    => [ map { { name => $_, title => ucfirst } } sort keys %test ],
        blocks   => [ { copies => 1 } ],
        complete => 1,
        passes   => \@passes,
    };
    return (summary($run), $run);
}

subtest 'what moves the machine within a pair is taken out' => sub {
    my ($found) = summary_of(passes('fork', 0.97), passes('vfork', 1));
    my %row = map { $_->{test} => $_ } @{ $found->{rows} };
    for my $test (qw(fork vfork)) {
        my ($raw, $steadied) = map { $_->{plus_minus} } $row{$test}, $row{$test}{steadied};
        cmp_ok($steadied, '<', $raw / 2, "$test: an interval of less than half");
        cmp_ok(abs($row{$test}{steadied}{b} - 1), '<', 0.15, 'the coefficient');
    }
    my $fork = $row{fork}{steadied};
    ok($fork->{low} < 0.97 && $fork->{high} > 0.97, 'it holds the truth');
    ok($fork->{high} < 1, 'and shows a difference of 3 %');
    my $loops = $found->{loops}{1};
    ok($loops->{low} < 1 && $loops->{high} > 1, 'the loops do not differ');
};

subtest 'a side that changes the loops' => sub {
    my ($found, $run) = summary_of(passes('fork', 1, loops => 0.9));
    is($found->{rows}[0]{steadied}, undef, 'nothing is steadied');
    cmp_ok(abs($found->{loops}{1}{ratio} - 0.9), '<', 0.03, 'by so much');
    like(
        SpawnMeter::Report::AB::render('text', $found, $run),
        qr/^1 copy, not steadied: the sides differ in page faults, by -\d/m,
        'the report says why'
    );
};

subtest 'passes without pauses' => sub {
    my ($found, $run) = summary_of(passes('fork', 1, without => 1));
    is($found->{rows}[0]{steadied}, undef, 'none');
    is_deeply($found->{loops}, {}, 'and no loops');
    my $text = SpawnMeter::Report::AB::render('text', $found, $run);
    like($text, qr/^1 copy, not steadied: too few passes have pauses/m, 'the report says why');
    my ($few) = summary_of(passes('fork', 1, rounds => 5), passes('vfork', 1));
    my ($fork, $vfork) = @{ $few->{rows} };
    is($fork->{steadied}, undef, 'none of five pairs');
    ok($vfork->{steadied}, 'of another test, with enough');
};

subtest 'without the option' => sub {
    local $with_option = undef;
    my ($found, $run) = summary_of(passes('fork', 1));
    is($found->{rows}[0]{steadied}, undef, 'none');
    for my $form (qw(text markdown)) {
        my $text = SpawnMeter::Report::AB::render($form, $found, $run);
        unlike($text, qr/steadied|page faults/i, "$form: no words about them");
    }
};

done_testing;
