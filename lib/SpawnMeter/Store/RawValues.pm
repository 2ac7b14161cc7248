# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::RawValues;

# Reads values of tests that stand in no report.  Pure functions.
#
#   runs_of_values(text of JSON, its data, [tests of the catalog]) -> (runs, as plain hashes): lists
#       of rates of each iteration below the title or name of a test, or one number at a title with
#       its unit ("Execl Throughput(lps)").  A run for each name under which the tests stand, in
#       the order of the text.  Dies with the reason where a list cannot be read
#   looks_like_output(text) -> true where it has lines that test programs print (pgms/fork 10), in
#       a file, a log or a post, and none of a report
#   run_of_outputs(text, [tests of the catalog], name of its file) -> run, as a plain hash; dies
#       with the number of a line and the reason.  Each start is a pass
#
# A test is known by the key of its list or of what the list is in, or by the text of name, test,
# title, benchmark or metric beside it; its copies likewise ("2 copies", or the number of copies,
# threads, parallel or nr_task; 0 where the text does not say); other keys name the run.  The test
# of a start stands in its VERSION line, else in the command before, else in the name of the file.

use strict;
use warnings;
use SpawnMeter::Analysis::ProgramOutput qw(parse rate_of);
use SpawnMeter::Store::Import::Lines    qw(text_lines);
use SpawnMeter::Store::Import::Words    qw(titles test_named);

use constant {
    DEPTH_MAX => 16,
    UNKNOWN   => 'which test this COUNT is of is not known: keep its command, or name the file as'
        . ' the test, such as fork.txt',
};

my $COPIES = qr/^(\d{1,5})(?: ?(?:parallel |x )?(?:cop(?:y|ies)|cpus?|threads?))?$/ai;
my $OF_CORES = qr/CPU_core_(\d{1,5})(?:unixbench)?[._ ]*/ai;    # openEuler's
my $IS_COPIES = qr/^(?:copies|threads|parallel|nr_task|concurrency)$/i;
my $IS_TEST = qr/^(?:name|test|title|benchmark|metric)$/i;
my $IS_UNIT = qr/^units?$/i;
my $TIMES = qr/^(?:.*_)?(?:times?|seconds?|secs?|ms|us|ns|duration|latency|elapsed)$/i;

# Keys that are no names: of lists of rates, and of what holds them
my $PLAIN = qr/^(?:raw|datas?|values?|samples?|iterations?|rates?|scores?|results?|throughput|tests
    |metrics|benchmarks|runs?|unixbench|byte-unixbench)$/ix;

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

# -> ({ test, copies, label, values => [ { rate } ] })
sub lists {
    my ($data, $above) = @_;
    return if $above->{depth} > DEPTH_MAX;
    my %below = (%{$above}, depth => $above->{depth} + 1, titled => 0);
    if (ref $data ne 'HASH') {
        my @values = ref $data eq 'ARRAY' ? @{$data} : $data;
        return map { lists($_, \%below) } @values if grep { ref } @values;
        return if !$above->{test} || (ref $data ? @values < 2 : !$above->{titled});
        return { %{$above}, values => checked($above, @values) };
    }
    for my $key (grep { defined $data->{$_} && !ref $data->{$_} } keys %{$data}) {
        my $value = $data->{$key};
        $below{test} = test_named($above->{titles}, $value) || $below{test} if $key =~ $IS_TEST;
        $below{copies} = $1 if $key =~ $IS_COPIES && $value =~ $COPIES;
        $below{unit} = $value if $key =~ $IS_UNIT;
    }
    return map { lists($data->{$_}, below($_, \%below)) } grep { $_ !~ $TIMES } sort keys %{$data};
}

# What is known of a part below its key
sub below {
    my ($key, $above) = @_;
    my ($copies, $name, $unit) = $key =~ /^(?:$OF_CORES)?(.+?)(?: *[(](\w+)[)])?$/;
    my %of = (titled => defined $unit);
    $of{copies} = $copies if defined $copies;
    $of{unit} = $unit if defined $unit;
    my $test = test_named($above->{titles}, $name // q{});
    return { %{$above}, %of, test => $test } if $test;
    return { %{$above}, copies => $1 } if $key =~ $COPIES;
    return $above if $key =~ $PLAIN;
    return { %{$above}, label => length $above->{label} ? "$above->{label} > $key" : $key };
}

sub checked {
    my ($of, @values) = @_;
    my ($test, $unit) = @{$of}{qw(test unit)};
    die "the values of $test->{name} are in $unit, and that test's unit is $test->{unit}\n"
        if defined $unit && lc $unit ne lc $test->{unit};
    my @bad =
        grep { !defined || !/^\d{1,15}(?:[.]\d{1,15})?(?:e[+]?\d{1,2})?$/ai || $_ <= 0 } @values;
    die "a value of $test->{name} is not a number above 0\n" if @bad;
    return [ map { { rate => $_ + 0 } } @values ];
}

sub run {
    my ($label, @lists) = @_;
    @lists = sort { $a->{copies} <=> $b->{copies} || $a->{test}{name} cmp $b->{test}{name} } @lists;
    my %title = map { $_->{test}{name} => $_->{test}{title} } @lists;
    my %copies = map { $_->{copies} => 1 } @lists;
    my @passes = map { passes($_) } @lists;
    my $are_single = @passes == @lists && !grep { $_->{results} } @passes;
    my @printed = map { { %{$_}, title => $title{ $_->{test} } } } @passes;
    my %posted =
        (kind => 'imported', form => '5', scores => [], settings => { name => 'imported' });
    utf8::decode($label) if utf8::downgrade($label, 1);
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
        conditions => ['Values of another program, read from JSON'],
        blocks     => [ map { { copies => $_ + 0 } } sort { $a <=> $b } keys %copies ],
        tests      => [ map { { name   => $_, title => $title{$_} } } sort keys %title ],
        passes     => \@passes,
        map({ $_ => [] } qw(options build categories)),
        $are_single ? (%posted, printed => \@printed, passes => []) : (),
    };
}

sub passes {
    my ($list) = @_;
    my ($test, $values) = @{$list}{qw(test values)};
    my %pass = (test => $test->{name}, copies => $list->{copies} + 0, unit => $test->{unit});
    @pass{qw(status wall)} = ('ok', 0);
    return map { { %pass, round => $_ + 1, %{ $values->[$_] } } } 0 .. $#{$values};
}

# ---- output of programs ----

sub looks_like_output {
    my ($text) = @_;
    return $text =~ /^[^|\n]*\bCOUNT[|]\d/m && $text !~ /Benchmark Run:|Benchmarks Index/;
}

sub run_of_outputs {
    my ($text, $tests, $file) = @_;
    my $named = titles($tests)->{named};
    my $any = join q{|}, map { quotemeta } sort { length $b <=> length $a } keys %{$named};
    my ($name) = $file =~ m{(?<![[:alnum:]])($any)(?![[:alnum:]])[^/]*\z};
    my (@starts, %lists, $version);
    for my $line (text_lines($text)) {
        $name = $1 if $line->{text} =~ m{^(?!\w+[|])(?:.*[/ ])?($any)(?: |$)};
        push @starts, { test => $name, at => $line->{number} } if $line->{text} =~ /^COUNT[|]/;
        $starts[-1]{text} .= "$line->{text}\n" if @starts && $line->{text} =~ /^[A-Z]+[|]./;
    }
    for my $start (@starts) {
        ($start->{test}, $version) = ($1, $2) if $start->{text} =~ /^VERSION[|]($any)[|](.+)/m;
        my $test = $start->{test} // die "line $start->{at}: ", UNKNOWN, "\n";
        my $list = $lists{$test} ||= { test => $named->{$test}, copies => 1 };
        push @{ $list->{values} }, value_of_start($start);
    }
    return {
        %{ run(q{}, values %lists) },
        suite      => defined $version ? "SpawnMeter $version" : 'UnixBench',
        name       => $file,
        conditions => ['Lines that programs printed, read from a text'],
    };
}

# -> { rate, wall, results } of a pass
sub value_of_start {
    my ($start) = @_;
    my $result = parse($start->{text});
    my $problem = $result->{error} // $result->{skip};
    $problem //= 'this COUNT has no TIME line, and a count is not a rate'
        if $result->{timebase} && !$result->{time};
    die "line $start->{at}: $problem\n" if defined $problem;
    my $wall = $result->{time} // 0;
    return { rate => rate_of([$result]), wall => $wall, results => [$result] };
}

1;
