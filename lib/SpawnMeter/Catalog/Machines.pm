# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Machines;

# Machines with published results, and the place of a run among them.
#
#   files(root) -> the files of machines of the suite
#   load(file, { test => baseline }) -> [machine]; dies with the file, the line and the reason
#       where a line does not read right: an index must be the rate / baseline x 10
#   machines_of(run, scored blocks of Analysis::Results) -> [machine], one for each number of
#       copies, with its ranked_results()
#   ranked_results(such a block) -> result records of the tests that have an index, and the score
#       as one; none of those beside which other processes were busy
#   table(machines of machines_of) -> the lines of a file: a head for each set of tests, and a line each
#   place(result or { test, copies, rate, low, high }, CPUs or undef, [machine]) -> { of => how many
#       machines it is compared with, copies => their number, or "all" where they have a copy on
#       each CPU, since too few have this number; faster => how many it is faster than, least,
#       most => the same of the ends of its interval (undefined without one), nearest =>
#       [ { machine, rate } ] }, or undef where there is no such machine
#   sentence(that result, its place, "posted machines" or another word for them) -> text
#
# A machine is { cpu, arch, cpus, year, system, kernel, virtual, suite, copies, score, source,
# rates => { test => rate, and score => that of all tests of the classic index } }; what is not
# known is empty.  A file has comments (#), heads that name the columns of the lines
# below them, and lines of fields with "," between them: these facts up to copies, a rate and an
# index (TEST,TEST_index) of each test, the score and the source.

use strict;
use warnings;
use Exporter 'import';
use List::Util               qw(first min);
use SpawnMeter::Util::File   qw(slurp);
use SpawnMeter::Util::Format qw(copies);

our @EXPORT_OK = qw(files load machines_of table ranked_results place sentence);

use constant {
    ENOUGH  => 5,       # machines with the same number of copies
    NEAREST => 2,       # machines that a sentence names
    HALF    => 0.05,    # of the last digit of a rate and of an index
    DIGITS  => 1e-9,
};

my @FACTS = qw(cpu arch cpus year system kernel virtual suite copies);
my @AFTER = qw(score source);
my $NUMBER = qr/\A\d{1,12}(?:[.]\d{1,6})?\z/a;

sub files { my ($root) = @_; return sort glob "\Q$root\E/results/reference/machines*.csv" }

# ---- files ----

sub load {
    my ($file, $baseline) = @_;
    my $text = slurp($file);
    die "$file: $!\n" if !defined $text;
    my (@columns, @machines, $number);
    for my $line (split /\n/, $text) {
        $number++;
        next if $line =~ /\A(?:#|\s*\z)/;
        my @fields = split /,/, $line, -1;
        if ($fields[0] eq $FACTS[0]) { @columns = @fields; next }
        push @machines, eval { machine(\@columns, \@fields, $baseline) }
            || die "$file, line $number: $@";
    }
    die "$file: no line of a machine in it\n" if !@machines;
    return \@machines;
}

sub machine {
    my ($columns, $fields, $baseline) = @_;
    my $lacks = first {
        my $name = $_;
        !grep { $_ eq $name } @{$columns}
    } @FACTS, @AFTER;
    die "no line that begins with $FACTS[0] and names a column $lacks is above it\n" if $lacks;
    die @{$fields} . ' fields, where its head has ' . @{$columns} . "\n"
        if @{$fields} != @{$columns};
    my %field;
    @field{ @{$columns} } = @{$fields};
    for my $name (qw(cpus year copies)) {
        die "$name is not a whole number above 0: '$field{$name}'\n"
            if $field{$name} !~ /\A[1-9]\d{0,5}\z/a;
    }
    die "the score is not a number: '$field{score}'\n"
        if length $field{score} && $field{score} !~ $NUMBER;
    die "it has no source: write where its figures are published\n" if $field{source} !~ /\S/;
    my %machine = map { $_ => $field{$_} } @FACTS, @AFTER;
    $machine{rates} = rates(\%field, $baseline);
    return \%machine;
}

sub rates {
    my ($field, $baseline) = @_;
    my %rates = length $field->{score} ? (score => $field->{score}) : ();
    for my $test (map { /\A(.+)_index\z/ } sort keys %{$field}) {
        my ($rate, $index) = map { defined $_ ? $_ : q{} } @{$field}{ $test, "${test}_index" };
        next if "$rate$index" eq q{};
        die "$test has no baseline here\n" if !$baseline->{$test};
        for my $value ($rate, $index) {
            die "$test is not a number above 0: '$value'\n" if $value !~ $NUMBER || $value <= 0;
        }
        my $unit = 10 / $baseline->{$test};
        die sprintf "%s %s has the index %.1f, not %s\n", $test, $rate, $rate * $unit, $index
            if abs($rate * $unit - $index) > HALF * (1 + $unit) + DIGITS;
        $rates{$test} = $rate;
    }
    die "it has no result\n" if !%rates;
    return \%rates;
}

sub table {
    my (@machines) = @_;
    my ($text, $head) = (q{}, q{});
    for my $machine (@machines) {
        my @results = @{ $machine->{results} };
        my $own = join q{,}, @FACTS, map({ ($_->{test}, "$_->{test}_index") } @results), @AFTER;
        $text .= "$own\n" if $own ne $head;
        $head = $own;
        my @values = (
            @{$machine}{@FACTS},
            map({ sprintf('%.1f', $_->{rate}), sprintf('%.1f', $_->{index}) } @results),
            @{$machine}{@AFTER}
        );
        $text .= join(q{,}, map { tr/,/;/r =~ s/[^\x20-\x7e]/?/gr } @values) . "\n";
    }
    return $text;
}

# ---- machines of a run ----

sub machines_of {
    my ($run, $blocks) = @_;
    my @machines;
    for my $block (grep { $_->{copies} } @{$blocks}) {
        my %result = map { $_->{test} => $_ } ranked_results($block);
        my $score = delete $result{score};
        push @machines,
            {
            facts($run, $block),
            score   => $score ? sprintf('%.1f', $score->{rate}) : q{},
            rates   => { map { $_->{test} => $_->{rate} } values %result, $score || () },
            results => [ @result{ sort keys %result } ],
            }
            if %result;
    }
    return \@machines;
}

sub ranked_results {
    my ($block) = @_;
    my @results = grep { defined $_->{index} && !$_->{busy} } @{ $block->{results} };
    return @results, score_of($block) || ();
}

# That of all tests of the classic index, as a result
sub score_of {
    my ($block) = @_;
    my $table =
        first { !$_->{partial} && $_->{form} eq '5' && $_->{category} =~ /\Asystem/i }
        @{ $block->{tables} };
    return if !$table;
    return {
        test   => 'score',
        copies => $block->{copies},
        rate   => $table->{score},
        low    => $table->{low},
        high   => $table->{high},
    };
}

# Of the kernel's release only the version: what follows it can name a site
sub facts {
    my ($run, $block) = @_;
    my $system = $run->{system} || {};
    my ($when) = ($block->{date} || q{}) =~ /\b(\d{4})\b/a;
    $when = 1900 + (gmtime $run->{started})[5] if !$when && $run->{started};
    my %facts = (
        cpu     => ($system->{cpu_model} || 'not stated') =~ s/[(](?:R|TM)[)]| [@].*//gr,
        arch    => $system->{architecture},
        cpus    => $block->{cpus} || $system->{cpus_online},
        year    => $when,
        system  => $system->{distribution} || $system->{system},
        kernel  => ($system->{kernel_release} || q{}) =~ /\A(\d+(?:[.]\d+)*)/a,
        virtual => guest($system),
        suite  => $run->{printed} ? $run->{suite} =~ s/\AUnixBench //r : "SpawnMeter $run->{suite}",
        copies => $block->{copies},
        source => $run->{printed} ? q{} : 'a run of SpawnMeter',
    );
    return map { $_ => defined $facts{$_} ? $facts{$_} : q{} } keys %facts;
}

# Not the words of its maker
sub guest {
    my ($system) = @_;
    my ($container, $guest) = map { $_ || q{} } @{$system}{qw(container hypervisor)};
    return $container if length $container && $container ne 'none';
    return $guest eq 'none' ? 'no' : $guest =~ s/\Ayes\b.*/guest/r;
}

# ---- the place of a result ----

sub place {
    my ($result, $cpus, $machines) = @_;
    my ($test, $copies, $rate) = @{$result}{qw(test copies rate)};
    my @with = grep { defined $_->{rates}{$test} } @{$machines};
    my @among = grep { $_->{copies} == $copies } @with;
    my $on_all = @among < ENOUGH && $copies > 1 && $copies == ($cpus || 0);
    @among = grep { $_->{copies} > 1 && $_->{copies} == $_->{cpus} } @with if $on_all;
    return if !@among;
    my %distance = map { ($_ => abs log($among[$_]{rates}{$test} / $rate)) } 0 .. $#among;
    my @order = sort { $distance{$a} <=> $distance{$b} || $a <=> $b } keys %distance;
    return {
        of      => scalar @among,
        copies  => $on_all ? 'all' : $copies,
        faster  => slower_than($rate, $test, @among),
        least   => slower_than($result->{low}, $test, @among),
        most    => slower_than($result->{high}, $test, @among),
        nearest => [
            map { { machine => $_, rate => $_->{rates}{$test} } }
                @among[ @order[ 0 .. min(NEAREST, scalar @order) - 1 ] ]
        ],
    };
}

sub slower_than {
    my ($rate, $test, @machines) = @_;
    return defined $rate ? scalar(grep { $_->{rates}{$test} < $rate } @machines) : undef;
}

sub sentence {
    my ($result, $place, $who) = @_;
    my $many = $place->{copies} eq 'all' ? 'a copy on each CPU' : copies($place->{copies});
    my ($least, $most) = @{$place}{qw(least most)};
    my $range = defined $least && $least != $most ? " ($least to $most)" : q{};
    return sprintf '%s %.1f: faster than %d%s of %d %s with %s; nearest: %s',
        $result->{test} eq 'score' ? 'index' : $result->{test}, $result->{rate}, $place->{faster},
        $range, $place->{of}, $who, $many,
        join ', ', map { described($_) } @{ $place->{nearest} };
}

sub described {
    my ($nearest) = @_;
    my ($machine, $rate) = @{$nearest}{qw(machine rate)};
    my $cpus = $machine->{cpus};
    my @facts = grep { length && $_ ne 'no' } @{$machine}{qw(virtual year)};
    unshift @facts, $cpus eq '1' ? '1 CPU' : "$cpus CPUs" if $cpus;
    return sprintf '%s (%s) %.1f', $machine->{cpu}, join(', ', @facts), $rate;
}

1;
