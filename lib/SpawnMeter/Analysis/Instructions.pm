# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Instructions;

# A run of kernels: instructions of one creation, by boots in QEMU.  Reads two lists in pgms.
#
#   pass([ [instructions of the kernel, of programs, string elements] of each creation ]) -> { rate
#       => those of the median creation, the lower of two, counts => { kernel, user, elements,
#       creation => its number, of that one; mean, creations => of all } }
#   middle(passes of a test on a side) -> that of the lower median
#   listed(folder of the suite, options of configurations) -> those that change what a creation
#       executes (pgms/kernel-options.list), in the order of the list
#   summary(run of kind kernels, folder of the suite) -> { sides, rows => [row], differ => [options
#       that the configurations have differently], functions => [ { name, old, new, change } ] of
#       the first two sides, largest change first, or undef, families => likewise }
#       row: { test, high_mean => true where a mean is far above the median, values => [of each side
#       { median, low, high => over the seeds, kernel, user, elements, mean }], others => [of each
#       side but the first { test, copies, ratio, low, high => undef for one seed, verdict: more,
#       fewer, same, unclear }] }; a test whose passes are not all there has none
#
# Boots of one image with other seeds are its replicates (Stats::Difference).

use strict;
use warnings;
use Exporter 'import';
use List::Util                    qw(first sum);
use SpawnMeter::Stats::Difference qw(compare_groups with_verdicts over_runs);
use SpawnMeter::Util::File        qw(each_line);

our @EXPORT_OK = qw(listed middle pass summary);

use constant {
    MARGIN => 0.01,    # what is within it is the same
    FAR    => 1.2,     # mean over median, above which something else ran
    ALIKE  => 0.5,     # of the words of two names, which are of one function if its instructions
    WITHIN => 2,       # differ by less than this factor, too
};
my %VERDICT = (faster => 'more', slower => 'fewer');    # of Stats::Difference

sub pass {
    my ($creations) = @_;
    my @all = map { $_->[0] + $_->[1] } @{$creations};
    my $number = lower_median(sort { $all[$a] <=> $all[$b] || $a <=> $b } 0 .. $#all);
    my %counts = (creation => $number, mean => sum(@all) / @all, creations => scalar @all);
    @counts{qw(kernel user elements)} = @{ $creations->[$number] };
    return { rate => $all[$number], counts => \%counts };
}

sub lower_median { my (@sorted) = @_; return $sorted[ $#sorted / 2 ] }

sub middle {
    return lower_median(sort { $a->{rate} <=> $b->{rate} } @_);
}

sub summary {
    my ($run, $root) = @_;
    my @sides = @{ $run->{sides} };
    my (%passes, %boots, %number);
    for my $pass (@{ $run->{passes} }) {
        my ($side, $test, $seed, $rate) = @{$pass}{qw(side test round rate)};
        push @{ $passes{$test}{$side} }, $pass;
        $boots{$side}[ $seed - 1 ]{$test} = { center => log $rate, se => 0, spread => 0, df => 1 };
        $number{$test}++;
    }
    my $all = @sides * $run->{settings}{seeds};
    my @rows = map {
        my ($test, $of) = ($_, $passes{$_});
        my @values = map { value(@{ $of->{ $_->{name} } }) } @sides;
        my $high = grep { $_->{mean} > FAR * $_->{median} } @values;
        { test => $test, values => \@values, high_mean => $high }
    } grep { ($number{$_} || 0) == $all } map { $_->{name} } @{ $run->{tests} };
    compare(\@rows, map { $boots{ $_->{name} } } @sides) if @rows;
    my @differ = differing($root, @sides);
    return { rows => \@rows, sides => \@sides, differ => \@differ, changed($root, @sides) };
}

sub value {
    my (@of_seeds) = @_;
    my $middle = middle(@of_seeds);
    my ($over) = over_runs([ map { log $_->{rate} } @of_seeds ]);
    my %value = (median => $middle->{rate}, %{ $middle->{counts} });
    @value{qw(low high)} = map { $middle->{rate} * exp } -$over->{half}, $over->{half}
        if defined $over->{half};
    return \%value;
}

# A run of Stats::Difference is a boot of all tests.  One boot a side shows nothing of how much
# boots differ
sub compare {
    my ($rows, $first, @others) = @_;
    my @all;
    for my $i (0 .. $#others) {
        my $found = compare_groups(a => $first, b => $others[$i])->{rows};
        for my $row (@{$rows}) {
            my ($old, $new) = map { $_->{median} } @{ $row->{values} }[ 0, 1 + $i ];
            my %own = (test => $row->{test}, copies => 1, ratio => $new / $old);
            push @all, { %{ $found->{ $row->{test} } }, %own };
            push @{ $row->{others} }, $all[-1];
        }
    }
    with_verdicts(\@all, scalar @others, log(1 + MARGIN)) if @all;
    for my $other (@all) {
        $other->{verdict} = $VERDICT{ $other->{verdict} } || $other->{verdict};
        @{$other}{qw(low high)} = map { exp } @{$other}{qw(low high)};
        @{$other}{qw(low high verdict)} = (undef, undef, 'unclear') if @{$first} < 2;
    }
    return;
}

# ---- configurations ----

# Of those that are known
sub differing {
    my ($root, @sides) = @_;
    my @known = map { $_->{configuration} || () } @sides;
    my (%value, @differ) = map { %{$_} } @known;
    for my $known (grep { %{$_} } @known) {
        push @differ, grep { $value{$_} ne ($known->{$_} // q{}) } keys %value;
    }
    return listed($root, @differ);
}

sub listed {
    my ($root, @options) = @_;
    my (%left, @listed) = map { $_ => 1 } @options;
    my $take = sub {
        my $like = $_[1] =~ s/[*]/.*/gr;
        push @listed, grep { /^$like\z/ && delete $left{$_} } sort keys %left;
    };
    each_line("$root/pgms/kernel-options.list", $take);
    return @listed;
}

# ---- functions ----

sub changed {
    my ($root, @sides) = @_;
    my ($old, $new) = map { $_->{functions} || {} } @sides, {};
    return if !%{$old};
    my %row = map { $_ => { name => $_, old => $old->{$_} || 0, new => $new->{$_} || 0 } }
        keys %{$old}, keys %{$new};
    pair_renamed(\%row);
    my (%family, @families);
    my $take = sub {
        my (undef, $name, $patterns) = @_;
        my $any = $patterns =~ s/ +/|/gr;
        push @families, [ $name, qr/^(?:$any)/ ];
    };
    each_line("$root/pgms/kernel-functions.list", $take);
    for my $row (values %row) {
        my $found = first { $row->{name} =~ $_->[1] } @families;
        my $name = $found ? $found->[0] : 'other';
        $family{$name}{name} = $name;
        $family{$name}{$_} += $row->{$_} for qw(old new);
    }
    return (functions => by_change(values %row), families => by_change(values %family));
}

sub by_change {
    $_->{change} = $_->{new} - $_->{old} for @_;
    return [ sort { abs $b->{change} <=> abs $a->{change} || $a->{name} cmp $b->{name} } @_ ];
}

# Each that one side alone has, with that of the other side whose name is most alike
sub pair_renamed {
    my ($row) = @_;
    my @gone = sort grep { !$row->{$_}{new} } keys %{$row};
    my @come = sort grep { !$row->{$_}{old} } keys %{$row};
    my @pairs = map {
        my $from = $_;
        map { [ alike($from, $_), $from, $_ ] } @come
    } @gone;
    for (sort { $b->[0] <=> $a->[0] } grep { $_->[0] >= ALIKE } @pairs) {
        my (undef, $from, $to) = @{$_};
        my ($old, $new) = map { $row->{$_} || next } $from, $to;
        next if $old->{old} > WITHIN * $new->{new} || $new->{new} > WITHIN * $old->{old};
        delete @{$row}{ $from, $to };
        my $name = "$from -> $to";
        $row->{$name} = { name => $name, old => $old->{old}, new => $new->{new} };
    }
    return;
}

# The share of the words of both names that are in both
sub alike {
    my ($from, $to) = map {
        +{ map { $_ => 1 } split /_+/ }
    } @_;
    my %all = (%{$from}, %{$to});
    return grep({ $from->{$_} && $to->{$_} } keys %all) / keys %all;
}

1;
