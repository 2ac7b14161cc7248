# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::RawValues;

# Reads the raw values of each iteration of UnixBench's tests, as laboratories keep them in JSON:
# lists of rates below the title or name of a test.  Pure functions.
#
#   runs_of_values(text of JSON, its data, [tests of the catalog]) -> (runs, as plain hashes): one
#       for each name under which the tests stand, in the order of the text.  Dies with the
#       reason where a list cannot be read
#
#   lines_of_values(data, [tests of the catalog]) -> the lines of a report, where single numbers
#       stand at titles of tests with their unit ("Execl Throughput(lps)"), each object below its
#       name as a heading; an empty text where there are none
#
# A test is known by the key of its list or of what the list is in, or by the text of name, test,
# title, benchmark or metric beside it; its copies likewise ("2 copies", or the number of copies,
# threads, parallel or nr_task; 0 where the text does not say); other keys name the run.

use strict;
use warnings;
use SpawnMeter::Store::Import::Words qw(titles test_named);

use constant DEPTH_MAX => 16;

my $COPIES = qr/^(\d{1,5})(?: ?(?:parallel |x )?(?:cop(?:y|ies)|cpus?|threads?))?$/ai;
my $OF_CORES = qr/^CPU_core_(\d{1,5})(?:unixbench)?[._ ]*(.*)$/ai;    # openEuler's
my $IS_COPIES = qr/^(?:copies|threads|parallel|nr_task|concurrency)$/i;
my $IS_TEST = qr/^(?:name|test|title|benchmark|metric)$/i;
my $IS_UNIT = qr/^units?$/i;
my $RATES = qr/^(?:raw|datas?|values?|samples?|iterations?|rates?|scores?|results?|throughput)$/i;
my $TIMES = qr/^(?:.*_)?(?:times?|seconds?|secs?|ms|us|ns|duration|latency|elapsed)$/i;
my $PLAIN = qr/$RATES|^(?:tests|metrics|benchmarks|data|runs?|unixbench|byte-unixbench)$/i;

sub runs_of_values {
    my ($text, $data, $tests) = @_;
    my %top = (titles => titles($tests), label => q{}, copies => 0, depth => 0);
    my %lists;
    for my $list (lists($data, \%top)) {
        my $place = "$list->{copies} $list->{test}{name}";
        die "several lists of values of $list->{test}{name}\n" if $lists{ $list->{label} }{$place};
        $lists{ $list->{label} }{$place} = $list;
    }
    my %at = map { $_ => index $text, q{"} . s/.* > //sr . q{"} } keys %lists;
    return map { run($_, values %{ $lists{$_} }) }
        sort { $at{$a} <=> $at{$b} || $a cmp $b } keys %lists;
}

# -> ({ test, copies, label, values })
sub lists {
    my ($data, $above) = @_;
    return if $above->{depth} > DEPTH_MAX;
    my %below = (%{$above}, depth => $above->{depth} + 1);
    if (ref $data eq 'ARRAY') {
        return map { lists($_, \%below) } @{$data} if grep { ref } @{$data};
        return if !$above->{test} || @{$data} < 2;
        return { %{$above}, values => checked($above->{test}, $data) };
    }
    return if ref $data ne 'HASH';
    for my $key (grep { defined $data->{$_} && !ref $data->{$_} } keys %{$data}) {
        my $value = $data->{$key};
        $below{test} = test_named($above->{titles}, $value) || $below{test} if $key =~ $IS_TEST;
        $below{copies} = $1 if $key =~ $IS_COPIES && $value =~ $COPIES;
        $below{unit} = $value if $key =~ $IS_UNIT;
    }
    my ($test, $unit) = @below{qw(test unit)};
    die "the values of $test->{name} are in $unit, and that test's unit is $test->{unit}\n"
        if $test && defined $unit && lc $unit ne lc $test->{unit};
    return map { lists($data->{$_}, below($_, \%below)) }
        grep { ref $data->{$_} && $_ !~ $TIMES } sort keys %{$data};
}

# What is known of a part below its key
sub below {
    my ($key, $above) = @_;
    my ($copies, $name) = $key =~ /$OF_CORES/ ? ($1, $2) : (undef, $key);
    my $test = test_named($above->{titles}, $name);
    return { %{$above}, test => $test, copies => $copies // $above->{copies} } if $test;
    return { %{$above}, copies => $1 } if $key =~ $COPIES;
    return $above if $key =~ $PLAIN;
    return { %{$above}, label => length $above->{label} ? "$above->{label} > $key" : $key };
}

sub lines_of_values {
    my ($data, $tests) = @_;
    return join q{}, map { "$_\n" } lines_below($data, titles($tests), 0);
}

sub lines_below {
    my ($data, $titles, $depth) = @_;
    return if ref $data ne 'HASH' || $depth > DEPTH_MAX;
    my (@lines, $known);
    for my $key (sort keys %{$data}) {
        my $value = $data->{$key};
        my @below = lines_below($value, $titles, $depth + 1);
        push @lines, '# ' . $key =~ tr/\n//dr, @below, q{} if @below;
        next if ref $value || ($value // q{}) !~ /^\d{1,15}(?:[.]\d{1,6})?\z/a;
        my ($title, $unit) = $key =~ /^(.+?) *[(](\w+)[)]\z/ ? ($1, $2) : ($key, undef);
        my $test = test_named($titles, $title);
        $known ||= $test && defined $unit;
        push @lines, $test ? join q{ }, $test->{title}, $value, $unit // () : "$title $value"
            if $test || $title =~ /Index Score/;
    }
    return $known || grep({ /^# / } @lines) ? @lines : ();
}

sub checked {
    my ($test, $values) = @_;
    my @bad =
        grep { !defined || !/^\d{1,15}(?:[.]\d{1,15})?(?:e[+]?\d{1,2})?$/ai || $_ <= 0 } @{$values};
    die "a value of $test->{name} is not a number above 0\n" if @bad;
    return $values;
}

sub run {
    my ($label, @lists) = @_;
    @lists = sort { $a->{copies} <=> $b->{copies} || $a->{test}{name} cmp $b->{test}{name} } @lists;
    my %title = map { $_->{test}{name} => $_->{test}{title} } @lists;
    my %copies = map { $_->{copies} => 1 } @lists;
    return {
        format     => 'spawnmeter-run',
        schema     => 1,
        kind       => 'run',
        suite      => 'UnixBench',
        name       => 'raw values',
        label      => length $label ? $label : undef,
        complete   => 1,
        settings   => { name => 'rounds' },
        system     => {},
        conditions => ['Raw values of another program, read from JSON'],
        blocks     => [ map { { copies => $_ + 0 } } sort { $a <=> $b } keys %copies ],
        tests      => [ map { { name   => $_, title => $title{$_} } } sort keys %title ],
        passes     => [ map { passes($_) } @lists ],
        map { $_ => [] } qw(options build categories),
    };
}

sub passes {
    my ($list) = @_;
    my ($test, $values) = @{$list}{qw(test values)};
    my %pass = (test => $test->{name}, copies => $list->{copies} + 0, unit => $test->{unit});
    @pass{qw(status wall)} = ('ok', 0);
    return map { { %pass, round => $_ + 1, rate => $values->[$_] + 0 } } 0 .. $#{$values};
}

1;
