# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::RawValues;

# Reads the raw values of each iteration of UnixBench's tests, as laboratories keep them in JSON:
# lists of rates below the title or name of a test.  Pure functions.
#
#   runs_of_values(text of JSON, its data, [tests of the catalog]) -> (runs, as plain hashes): one
#       for each name under which the tests stand, in the order of the text.  Dies with the
#       reason where a list cannot be read
#
# A test is known by the key of its list or of what the list is in, or by the text of name, test,
# title, benchmark or metric beside it; its copies likewise ("2 copies", or the number of copies,
# threads, parallel or nr_task; 0 where the text does not say); other keys name the run.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Words qw(titles test_named);

our @EXPORT_OK = qw(runs_of_values);

use constant {
    DEPTH_MAX  => 16,
    COPIES_MAX => 99_999,
};

my $COPIES = qr/^(\d{1,5})(?: ?(?:parallel |x )?(?:cop(?:y|ies)|cpus?|threads?))?$/ai;
my $IS_COPIES = qr/^(?:copies|threads|parallel|nr_task|concurrency)$/i;
my $IS_TEST = qr/^(?:name|test|title|benchmark|metric)$/i;
my $IS_UNIT = qr/^units?$/i;
my $RATES = qr/^(?:raw|values?|samples?|iterations?|rates?|scores?|results?|throughput)$/i;
my $TIMES = qr/^(?:.*_)?(?:times?|seconds?|secs?|ms|us|ns|duration|latency|elapsed)$/i;
my $PLAIN = qr/$RATES|^(?:tests|metrics|benchmarks|data|runs?|unixbench|byte-unixbench)$/i;

sub runs_of_values {
    my ($text, $data, $tests) = @_;
    my %list;
    for my $of (lists($data, { titles => titles($tests), label => q{}, depth => 0 })) {
        my ($label, $test, $copies) = @{$of}{qw(label test copies)};
        my $place = $list{$label}{ $copies || 0 } ||= {};
        die "several lists of values of $test->{name}\n" if $place->{ $test->{name} };
        $place->{ $test->{name} } = $of;
    }
    my %at = map { $_ => index $text, q{"} . s/.* > //sr . q{"} } keys %list;
    return map { run($_, %{ $list{$_} }) } sort { $at{$a} <=> $at{$b} || $a cmp $b } keys %list;
}

# -> ({ test, copies, label, values })
sub lists {
    my ($data, $of) = @_;
    return if $of->{depth} > DEPTH_MAX;
    my %below = (%{$of}, depth => $of->{depth} + 1);
    if (ref $data eq 'ARRAY') {
        return map { lists($_, \%below) } @{$data} if grep { ref } @{$data};
        return if !$of->{test} || @{$data} < 2;
        return { %{$of}, values => checked($of->{test}, $data) };
    }
    return if ref $data ne 'HASH';
    for my $key (grep { defined $data->{$_} && !ref $data->{$_} } keys %{$data}) {
        my $value = $data->{$key};
        $below{test} = test_named($of->{titles}, $value) || $below{test} if $key =~ $IS_TEST;
        $below{copies} = $1 if $key =~ $IS_COPIES && $value =~ $COPIES;
        $below{unit} = $value if $key =~ $IS_UNIT;
    }
    my ($test, $unit) = @below{qw(test unit)};
    die "the values of $test->{name} are in $unit, and that test's unit is $test->{unit}\n"
        if $test && defined $unit && lc $unit ne lc $test->{unit};
    return map { lists($data->{$_}, below($_, \%below)) }
        grep { ref $data->{$_} && $_ !~ $TIMES } sort keys %{$data};
}

# What the key of a part says of it
sub below {
    my ($key, $of) = @_;
    my $test = test_named($of->{titles}, $key);
    return { %{$of}, test => $test } if $test;
    return { %{$of}, copies => $1 } if $key =~ $COPIES;
    return $of if $key =~ $PLAIN;
    return { %{$of}, label => length $of->{label} ? "$of->{label} > $key" : $key };
}

sub checked {
    my ($test, $values) = @_;
    my @bad =
        grep { !defined || !/^\d{1,15}(?:[.]\d{1,15})?(?:e[+]?\d{1,2})?$/ai || $_ <= 0 } @{$values};
    die "a value of $test->{name} is not a number above 0\n" if @bad;
    return $values;
}

sub run {
    my ($label, %of) = @_;
    my @copies = sort { $a <=> $b } keys %of;
    my %test = map { $_->{test}{name} => $_->{test} } map { values %{$_} } values %of;
    my @passes;
    for my $copies (@copies) {
        for my $name (sort keys %{ $of{$copies} }) {
            my @values = @{ $of{$copies}{$name}{values} };
            my %pass = (test => $name, copies => $copies + 0, status => 'ok', wall => 0);
            push @passes,
                map
            { { %pass, unit => $test{$name}{unit}, round => $_ + 1, rate => $values[$_] + 0 } }
                0 .. $#values;
        }
    }
    return {
        format     => 'spawnmeter-run',
        schema     => 1,
        kind       => 'run',
        suite      => 'unknown',
        name       => 'raw values',
        label      => length $label ? $label : undef,
        complete   => 1,
        protocol   => { name => 'rounds' },
        system     => {},
        options    => [],
        conditions => ['Raw values of another program, read from JSON'],
        build      => [],
        blocks     => [ map { { copies => $_ + 0 } } @copies ],
        tests      => [ map { { name   => $_, title => $test{$_}{title} } } sort keys %test ],
        passes     => \@passes,
        categories => [],
    };
}

1;
