# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Machines;

# Machines with published results, and the place of a run among them.
#
#   posted(root) -> [machine] of all files of the suite (t/unit/Catalog/Machines.t checks them)
#   load(file) -> [machine]
#   machines_of(run, scored blocks of Analysis::Results) -> [machine with its ranked results], one
#       for each number of copies.  Ranked are the tests that have an index, and the score of all
#       tests of the classic one (test "score"), but none beside which other processes were busy
#   table(such machines) -> lines of a file: a head for each set of tests, and a line each
#   place(ranked result, CPUs or undef, [machine]) -> { place, of => how many with itself, copies =>
#       their number, or "all" where they have a copy on each CPU, since too few have this number,
#       range => [places of the ends of its interval, or none], above, below => [the two nearest
#       machines, the faster one first] }, or undef where there is none
#   standings(run, scored block, [machine]) -> (sentences) on the ranked results that have a place,
#       execl and spawn first; the run itself is not among the machines
#   unposted(scored blocks, run, [machine]) -> names of the ranked tests that no machine has
#
# A machine is { cpu, arch, cpus, year, system, kernel, virtual, suite, copies, score, source,
# rates => { test => rate, score => score } }; what is not known is empty.  A file has comments
# (#), heads that name the columns of the lines below them, and lines with "," between their
# fields: the facts up to copies, rate and index (TEST,TEST_index) of each test, score and source.

use strict;
use warnings;
use Exporter 'import';
use List::Util               qw(max min);
use SpawnMeter::Util::File   qw(each_line);
use SpawnMeter::Util::Format qw(copies);

our @EXPORT_OK = qw(posted load machines_of table place standings unposted);

use constant {
    ENOUGH  => 5,       # machines with the same number of copies
    NEAREST => 2,       # machines above and below that are named
    ROUNDED => 0.06,    # by so much a rate can differ from itself with one decimal
};

my @FACTS = qw(cpu arch cpus year system kernel virtual suite copies);
my @AFTER = qw(score source);

# ---- files ----

sub posted {
    my ($root) = @_;
    return [ map { @{ load($_) } } sort glob "\Q$root\E/results/reference/machines*.csv" ];
}

sub load {
    my ($file) = @_;
    my (@columns, @machines);
    my $take = sub {
        my @fields = split /,/, $_[0], -1;
        if   ($fields[0] eq $FACTS[0]) { @columns = @fields }
        else                           { push @machines, machine(\@columns, \@fields) }
    };
    each_line($file, $take);
    return \@machines;
}

sub machine {
    my ($columns, $fields) = @_;
    my %field;
    @field{ @{$columns} } = @{$fields};
    my @rated = grep { length $field{$_} } 'score', map { /\A(.+)_index\z/ } @{$columns};
    my %rates = map { $_ => $field{$_} } @rated;
    return { map({ $_ => $field{$_} } @FACTS, @AFTER), rates => \%rates };
}

sub table {
    my (@machines) = @_;
    my ($text, $head) = (q{}, q{});
    for my $machine (@machines) {
        my @results = @{ $machine->{results} };
        my $own = join q{,}, @FACTS, map({ ($_->{test}, "$_->{test}_index") } @results), @AFTER;
        $text .= "$own\n" if $own ne $head;
        $head = $own;
        my @values = @{$machine}{@FACTS};
        for my $result (@results) {
            my $rate = sprintf '%.1f', $result->{rate};
            push @values, $rate, sprintf '%.1f', $result->{index} * $rate / $result->{rate};
        }
        push @values, @{$machine}{@AFTER};
        $text .= join(q{,}, map { tr/,/;/r =~ s/[^\x20-\x7e]/?/gr } @values) . "\n";
    }
    return $text;
}

# ---- machines of a run ----

sub machines_of {
    my ($run, $blocks) = @_;
    my @machines;
    for my $block (grep { $_->{copies} } @{$blocks}) {
        my %result = map { $_->{test} => $_ } ranked_results($run, $block) or next;
        my %rates = map { $_ => $result{$_}{rate} } keys %result;
        my $score = delete $result{score} ? sprintf('%.1f', $rates{score}) : q{};
        my @results = @result{ sort keys %result };
        push @machines,
            { facts($run, $block), score => $score, rates => \%rates, results => \@results };
    }
    return \@machines;
}

# -> the results that are ranked, with the score of all classic tests; none of suites before 5
sub ranked_results {
    my ($run, $block) = @_;
    return if $run->{printed} && $run->{suite} =~ / [34][.]/;
    my @results = grep { $_->{index} && !$_->{busy} } @{ $block->{results} };
    my ($table) = grep { !$_->{partial} && $_->{form} eq '5' && $_->{category} =~ /\Asystem/i }
        @{ $block->{tables} };
    return @results if !$table || grep { $_->{busy} } @{ $block->{results} };
    return @results,
        { %{$table}, test => 'score', copies => $block->{copies}, rate => $table->{score} };
}

# -> the facts of a machine; all of the kernel's release or the guest's maker can name a site
sub facts {
    my ($run, $block) = @_;
    my $system = $run->{system} || {};
    my %facts = (arch => $system->{architecture}, copies => $block->{copies});
    ($facts{kernel}) = ($system->{kernel_release} || q{}) =~ /\A([\d.]*\d)/a;
    ($facts{year}) = ($block->{date} || q{}) =~ /\b(\d{4})\b/a;
    $facts{year} ||= 1900 + (gmtime $run->{started})[5] if $run->{started};
    $facts{cpu} = ($system->{cpu_model} || 'not stated') =~ s/[(](?:R|TM)[)]| [@].*//gr;
    $facts{cpus} = $block->{cpus}            || $system->{cpus_online};
    $facts{system} = $system->{distribution} || $system->{system};
    $facts{virtual} = ($system->{hypervisor} || q{}) =~ s/\Anone\z/no/r =~ s/\Ayes\b.*/guest/r;
    $facts{virtual} = $system->{container} if ($system->{container} || 'none') ne 'none';
    $facts{suite} = $run->{suite} =~ s/\AUnixBench ?//r;
    @facts{qw(suite source)} = ("SpawnMeter $run->{suite}", 'a run of SpawnMeter')
        if !$run->{printed};
    return map { $_ => $facts{$_} // q{} } @FACTS, 'source';
}

# ---- the place of a result ----

sub place {
    my ($result, $cpus, $machines) = @_;
    my ($test, $copies, @ends) = @{$result}{qw(test copies rate low high)};
    my @measured = sort { $b->{rates}{$test} <=> $a->{rates}{$test} }
        grep { defined $_->{rates}{$test} } @{$machines};
    my @among = grep { $_->{copies} == $copies } @measured;
    my $on_all = @among < ENOUGH && $copies > 1 && $copies eq ($cpus || 0);
    @among = grep { $_->{copies} > 1 && $_->{copies} eq $_->{cpus} } @measured if $on_all;
    return if !@among;
    my @places;

    for my $end (grep { defined } @ends) {
        push @places, 1 + grep { $_->{rates}{$test} > $end } @among;
    }
    my ($place, $worst, $best) = @places;
    return {
        of     => 1 + @among,
        copies => $on_all ? 'all' : $copies,
        place  => $place,
        range  => [ defined $best ? ($best, $worst) : () ],
        above  => [ @among[ max(0, $place - 1 - NEAREST) .. $place - 2 ] ],
        below  => [ @among[ $place - 1 .. min($#among, $place - 2 + NEAREST) ] ],
    };
}

my @QUARTERS = qw(fastest second third slowest);
my %FIRST = (score => 1, execl => 2, spawn => 3);

sub standings {
    my ($run, $block, $machines) = @_;
    my $cpus = $block->{cpus} || ($run->{system} || {})->{cpus_online};
    my @results = ranked_results($run, $block);
    my @others = grep { !is_of_machine($_, @results) } @{$machines};
    my @sentences;
    for my $result (sort { ($FIRST{ $a->{test} } || 9) <=> ($FIRST{ $b->{test} } || 9) } @results) {
        my $place = place($result, $cpus, \@others) or next;
        my $test = $result->{test};
        my ($best, $worst) = @{ $place->{range} };
        my @words = sprintf '%s %.1f, %s: place %d%s of %d, %s quarter',
            $test eq 'score'          ? 'index'              : $test, $result->{rate},
            $place->{copies} eq 'all' ? 'a copy on each CPU' : copies($place->{copies}),
            $place->{place}, defined $best && $best != $worst ? " ($best to $worst)" : q{},
            $place->{of}, $QUARTERS[ 4 * ($place->{place} - 1) / $place->{of} ];
        for my $side (grep { @{ $place->{$_} } } qw(above below)) {
            push @words, "$side: " . join '; ', map { described($_, $test) } @{ $place->{$side} };
        }
        push @sentences, join '; ', @words;
    }
    return @sentences;
}

sub unposted {
    my ($blocks, $run, $machines) = @_;
    my %known = map { $_ => 1 } map { keys %{ $_->{rates} } } @{$machines};
    my %lacking = map { $_->{test} => 1 }
        grep { !$known{ $_->{test} } } map { ranked_results($run, $_) } @{$blocks};
    return sort keys %lacking;
}

# A machine with just the numbers of a ranked run or post is that one
sub is_of_machine {
    my ($machine, @results) = @_;
    my $rates = $machine->{rates};
    my @both =
        grep { defined $rates->{ $_->{test} } && $_->{copies} == $machine->{copies} } @results;
    return @both && !grep { abs($_->{rate} - $rates->{ $_->{test} }) > ROUNDED } @both;
}

sub described {
    my ($machine, $test) = @_;
    my $cpus = $machine->{cpus};
    my @facts = grep { length && $_ ne 'no' } @{$machine}{qw(virtual year)};
    unshift @facts, $cpus eq '1' ? '1 CPU' : "$cpus CPUs" if $cpus;
    return join(q{, }, $machine->{cpu}, @facts) . sprintf ': %.1f', $machine->{rates}{$test};
}

1;
