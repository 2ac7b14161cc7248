# SPDX-License-Identifier: GPL-2.0-or-later
# Posted reports with damage of many kinds: nothing is invented, and no number is wrong
# without a word: each report is read right, right but with an unknown number of copies, reported
# (a line is listed as unread) or refused as a whole; none is lost (a result is missing and nothing
# is listed), wrong, or has a result that nobody measured.  MUTATIONS=N tries more of each kind
# than 2 (LONG=1: 8), MUTATIONS_SEED=N others.
use lib 't/lib';
use TestHelp;
use ReportMutations qw(kinds);
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(import_reports);

my $times = $ENV{MUTATIONS} || ($ENV{LONG} ? 8 : 2);
srand($ENV{MUTATIONS_SEED} || 2003);
my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my %title = map { $_->{title} => $_->{name} } @{ $catalog->{tests} };
my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

# What the reports say, by a reading of their exact format only
sub truth {
    my ($text) = @_;
    my ($copies, %rate) = (0);
    for (split /\n/, $text) {
        $copies = $1 if /running (\d+) parallel/;
        $rate{"$copies $title{$1}"} = $2 if /^(\S.*?\S) +([\d.]+) (?:lps|lpm|KBps|MWIPS) +\(/;
    }
    return \%rate;
}

sub outcome {
    my ($found, $true, $kind) = @_;
    my ($unread, %got, %seen) = (scalar @{ $found->{unread} });
    return $unread ? 'refused' : 'lost' if !@{ $found->{runs} };
    my $with_copies = grep {
        my $run = $_;
        grep { $_->{copies} } @{ $run->{blocks} }
    } @{ $found->{runs} };
    my $worst = $unread ? 'reported' : 'right';
    for my $cell (map { @{ $_->{printed} } } @{ $found->{runs} }) {
        my @copies = $cell->{copies} || map { /^(\d+) \Q$cell->{test}\E$/ ? $1 : () } keys %{$true};
        my @keys = grep { exists $true->{$_} } map { "$_ $cell->{test}" } @copies;
        return 'invented' if !@keys;
        my ($key) = grep { abs($true->{$_} - $cell->{rate}) < ($kind->{rounds} ? 1 : 0.06) } @keys;
        return 'wrong' if !defined $key;
        my $index = $cell->{baseline} ? $cell->{rate} / $cell->{baseline} * 10 : undef;
        return 'wrong' if defined $index && abs($index - $cell->{index}) > 1.1;
        return 'invented' if $seen{ $key . ($cell->{copies} || '?') }++;
        $got{$key} = 1;
        $worst = 'unknown' if !$cell->{copies} && $worst eq 'right';
    }
    return 'invented' if $with_copies > 1;
    return 'lost' if !$unread && !$kind->{removes} && keys %got < keys %{$true};
    return $worst;
}

my @reports =
    map { slurp_file($_) }
    map { "$ROOT/t/import/$_" }
    qw(macos.txt raspberry-pi-5.txt posts/full-8-cpus.txt posts/full-atom.txt);
utf8::decode($_) for @reports;
my @kinds = kinds();

subtest 'whole reports' => sub {
    my @rows;
    for my $kind (@kinds) {
        my %row = (name => $kind->{name});
        for my $turn (1 .. $times) {
            my $text = $reports[ $turn % @reports ];
            my $damaged = join "\n", $kind->{change}->(split /\n/, $text);
            my $outcome = outcome(import_reports($damaged, $catalog->{tests}), truth($text), $kind);
            $row{$outcome}++;
        }
        push @rows, \%row;
    }
    for my $what (qw(invented wrong lost)) {
        is_deeply([ map { $_->{$what} ? "$_->{name}: $_->{$what}" : () } @rows ],
            [], "nothing is $what");
    }
};

is_deeply(\@warnings, [], 'no warning of perl');
done_testing;
