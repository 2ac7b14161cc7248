# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import;

# Reads what is not a run file and has results: values in JSON, output of test programs, and posted
# reports of the classic suites (UnixBench 3.11, 4.1, 5.x and 6.0) and of SpawnMeter.  These go
# through pure steps: lines (Import::Lines), rows of SpawnMeter's tables (Import::Pasted), lines of
# columns (Import::Tables), items (Import::Lines, too), blocks of a number of copies below a head
# (Import::Blocks), runs, figures.
#
#   import_reports(text, [tests of the catalog], path) -> { runs => [run record], unread =>
#       [ { line => its number, text, why => a clause with "it" or "its" for the line, aside
#           => true where the line is not in the format of a report, as in a table of
#           differences } ] }
#   runs_of_values(text of JSON, its data, [tests of the catalog]) -> (run records), one for each
#       name under which the tests stand, in the order of the text.  Dies with the reason where a
#       list cannot be read
#
# A run of a report has no passes.  Its figures are in
#   printed => [ { test, title, category, copies => 0 where the text does not say, rate,
#                  rounding => error of the rate, unit, seconds, samples, baseline,
#                  index, tabled => true where only an index table has it } ]    undefined
#                  where the text does not say
#   scores  => [ { title, copies, score, partial } ]
#   blocks  => [ { copies, cpus, date, from, to } ]    dates and times in the text's words
#
# What its numbers mean is decided when all lines are known: a result and its row in an index table
# confirm each other, and an index that is the ratio of its rate and baseline confirms both.
# Nothing is guessed: what remains in doubt has no figures, and a line that looks like a part of a
# report and cannot be read is listed in `unread`, up to UNREAD_MAX lines.

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(first);
use SpawnMeter::Analysis::ProgramOutput qw(parse rate_of);
use SpawnMeter::Store::Import::Blocks   qw(heads BLOCKS_MAX);
use SpawnMeter::Store::Import::Tables   qw(columns);
use SpawnMeter::Store::Import::Lines    qw(text_lines logical_lines items);
use SpawnMeter::Store::Import::Pasted   qw(lines_of_screens);
use SpawnMeter::Store::Import::Words    qw(titles test_named number is_one_of);

our @EXPORT_OK = qw(import_reports consistent);

use constant {
    UNREAD_MAX => 200,
    FACTOR     => 10,    # of an index; version 3.11 has none
    COMPUTED   => 'Rates computed from the index values of the text: index x baseline / 10',
    NO_TIME    => 'it has no TIME line, and a count is not a rate',
    NO_TEST    => 'which test it is of is not known: keep its command, or name the file as the'
        . ' test, such as fork.txt',
};

sub import_reports {
    my ($text, $tests, $path) = @_;
    my $titles = titles($tests);
    return outputs($titles, $text, $path // q{})
        if $text =~ /^[^|\n]*\bCOUNT[|]\d/m && $text !~ /Benchmark Run:|Benchmarks Index/;
    my @lines = logical_lines($titles, lines_of_screens($titles, text_lines($text)));
    my @items = items($titles, columns($titles, @lines));
    my @runs = map { record($_) } runs(heads($titles, @items));
    return { runs => \@runs, unread => [ unread_of(@items) ] };
}

sub unread_of {
    my (@items) = @_;
    my %seen;
    my @unread = grep { !$seen{"@{$_}{qw(line why text)}"}++ }
        map { defined_fields($_, qw(line text why aside)) }
        sort { $a->{line} <=> $b->{line} } grep { defined $_->{why} } @items;
    return @unread > UNREAD_MAX ? @unread[ 0 .. UNREAD_MAX - 1 ] : @unread;
}

# ---- runs ---------------------------------------------------------------------------

# The blocks of a head are one run while they differ in their numbers of copies and have no
# other names.  A head goes on with a run of the same machine, system and build: with a label, with
# that of this label, else with the run before it.
sub runs {
    my (@heads) = @_;
    my (@runs, %labelled, %seen);
    for my $head (@heads) {
        my ($run, %begun) = (undef, %{$head});
        for my $block (grep { !is_repeated(\%seen, $head, $_) } @{ $head->{blocks} }) {
            $begun{system} = { %{ $head->{system} } };
            $begun{system}{cpus_online} = $block->{cpus} if $block->{cpus};
            if (!$run || @{ $block->{order} } && is_again($run, $block)) {
                my $label = $begun{label} // $block->{label};
                $run = defined $label ? $labelled{$label} : $runs[-1];
                $run = undef if $run && !is_part($run, \%begun, $block);
                push @runs, $run = { %begun, blocks => [] } if !$run;
                $labelled{$label} = $run if defined $label;
            }
            $run->{system} = { %{ $run->{system} }, %{ $begun{system} } };
            push @{ $run->{blocks} }, $block;
            %begun = map { $_ => $head->{$_} } qw(suite host);
        }
    }
    return @runs;
}

# A text can have a report twice, as a mail and a quote of it: no two runs of a machine have the
# same times and lines
sub is_repeated {
    my ($seen, $head, $block) = @_;
    return if !defined $head->{host} || !defined $block->{date};
    my @at = ($head->{host}, @{$block}{qw(date from to copies)});
    my @lines = map { @{ $_->{results} }, @{ $_->{rows} } } values %{ $block->{cells} };
    return @lines && !grep { !$seen->{ join "\n", @at, $_->{text} =~ tr/ //dr }++ } @lines;
}

# Whether the run already has this number of copies, or a block of another name
sub is_again {
    my ($run, $block) = @_;
    my ($copies, $label) = @{$block}{qw(copies label)};
    return
        scalar
        grep { $_->{copies} == $copies || defined $label && ($_->{label} // $label) ne $label }
        grep { @{ $_->{order} } } @{ $run->{blocks} };
}

sub is_part {
    my ($run, $begun, $block) = @_;
    return if !defined $run->{host}  || @{ $run->{blocks} } >= BLOCKS_MAX;
    return if is_again($run, $block) || grep { !$_->{copies} } $block, @{ $run->{blocks} };
    return identity($run) eq identity($begun);
}

sub identity {
    my ($run) = @_;
    my %is = (%{ $run->{system} }, map { $_ => $run->{$_} // q{-} } qw(suite host));
    my @build = $run->{posted} ? grep { /^Build/ } @{ $run->{posted}{head} } : ();
    return join "\n", (map { $_, $is{$_} } sort keys %is), @build;
}

# -> run record, or nothing where the run has no results
sub record {
    my ($run) = @_;
    my $form = ($run->{suite} // q{}) =~ /^UnixBench 3[.]/ ? '3.11' : undef;
    $form //= first { defined } (map { $_->{form} } @{ $run->{blocks} }), '5';
    my (@blocks, @printed, @scores, %seen);
    for my $block (@{ $run->{blocks} }) {
        my @cells = map { $block->{cells}{$_} } @{ $block->{order} };
        my @figures = map { figures($_, $form eq '3.11' ? 1 : FACTOR) } @cells;
        unread('no results stand with it', @{ $block->{scores} }) if !@figures;
        next if !@figures;
        push @printed, map { { %{$_}, copies => $block->{copies} } } @figures;
        push @blocks, $block;
        push @scores, map {
            defined_fields({ %{$_}, copies => $block->{copies} },
                qw(copies title score partial low high rounding))
        } @{ $block->{scores} };
    }
    return if !@blocks;
    my @labels = uniq(grep { defined } $run->{label}, map { $_->{label} } @blocks);
    my @titles = (map({ $_->{title} } @scores), sort map { $_->{category} // '4.1' } @printed);
    my @categories = uniq(grep { $_ ne '4.1' } @titles);
    my @computed =
        grep { $_->{from_index} } map { @{ $_->{rows} } } map { values %{ $_->{cells} } } @blocks;
    return {
        kind       => 'imported',
        suite      => $run->{suite} // ($form eq '3.11' ? 'UnixBench 3.11' : 'UnixBench'),
        categories => [ map { { name => $_, title => $_, tests => [] } } @categories ],
        form       => $form,
        blocks     => [ map { defined_fields($_, qw(copies cpus date from to)) } @blocks ],
        printed    => \@printed,
        scores     => \@scores,
        tests      => [
            map  { { name => $_->{test}, title => $_->{title}, category => $_->{category} } }
            grep { !$seen{ $_->{test} }++ } @printed
        ],
        settings   => $run->{settings} || { name => 'imported' },
        passes     => [],
        label      => @labels ? join('; ', @labels) : undef,
        build      => [],
        complete   => defined $run->{incomplete} ? 0 : 1,
        reason     => $run->{incomplete},
        conditions => [ @computed ? COMPUTED : () ],
        map { $_ => $run->{$_} } qw(host system posted command),
    };
}

# The fields with these keys that are defined
sub defined_fields {
    my ($record, @keys) = @_;
    return { map { $_ => $record->{$_} } grep { defined $record->{$_} } @keys };
}

sub uniq {
    my %seen;
    return grep { !$seen{$_}++ } @_;
}

# ---- figures ----

# The numbers of a row { baseline, rate, index => texts } in which index = rate / baseline * factor,
# within the rounding of all three; else undef
sub consistent {
    my ($row, $factor) = @_;
    my ($baseline, $rate, $index) =
        map { scalar number($row->{$_}) || return } qw(baseline rate index);
    return if $baseline->{value} <= 0 || $rate->{value} <= 0;

    # baselines without decimals are exact ones, unless nothing in the row has decimals
    my $exact = !$baseline->{decimals} && $index->{decimals};
    my $share = $rate->{rounding} / $rate->{value};
    $share += $baseline->{rounding} / $baseline->{value} if !$exact;
    my $distance = abs($rate->{value} / $baseline->{value} * $factor - $index->{value});
    return if $distance > $index->{rounding} + $index->{value} * $share;
    return { baseline => $baseline, rate => $rate, index => $index };
}

sub unread {
    my ($why, @items) = @_;
    for my $item (@items) { $item->{why} = $why }
    return;
}

# -> the figures of a test at a number of copies, as those of `printed`, or nothing.  All its lines
# must have the same number, and one of them must be a row whose index confirms it, or a result line
# that cannot be read in two ways.  A row is named alone where its index is wrong
sub figures {
    my ($cell, $factor) = @_;
    my @rows = grep { defined $_->{index} } @{ $cell->{rows} };
    my @results = @{ $cell->{results} };
    @results = grep { !defined $_->{index} } @{ $cell->{rows} } if !@results;    # no baseline
    $_->{is} = consistent($_, $factor) for @rows;
    unread(problem_of_row($_), $_) for grep { !$_->{is} } @rows;
    my @read = (@results, grep { $_->{is} } @rows) or return;
    my ($first, @others) = map { $_->{is} ? $_->{is}{rate} : $_->{number} } @rows, @results;
    my ($row, $result) = ((first { $_->{is} } @rows), $results[0]);
    my $why =
        grep({ !is_one_of($first, $_) } @others) ? 'another line has another result of its test'
        : !$row && $result->{rate} =~ /^\d{1,3}[.,]\d{3}$/a
        ? "'$result->{rate}' can have thousands or decimals"
        : undef;
    return unread($why, @read) if $why;
    return figures_of($cell, $row, $result);
}

# The figures of a test, by the more precise of its numbers
sub figures_of {
    my ($cell, $row, $result) = @_;
    my ($number) = sort { $a->{rounding} <=> $b->{rounding} } $result ? $result->{number} : (),
        $row ? $row->{is}{rate} : ();
    my %figures = (%{ $cell->{details} }, map { $_ => $cell->{$_} } qw(test title unit));
    @figures{qw(rate rounding)} = @{$number}{qw(value rounding)};
    $figures{category} = ($row || $result)->{category} // $cell->{category};
    $figures{$_} = $row->{is}{$_}{value} for $row ? qw(baseline index) : ();
    $figures{rounding} = $row->{is}{index}{rounding} * $figures{baseline} / FACTOR
        if $row && $row->{from_index};
    return { %figures, tabled => 1 } if !$result || !defined $result->{unit};
    my $seconds = number($result->{seconds} // q{});
    $figures{seconds} = $seconds && $seconds->{value};
    return { %figures, map { $_ => $result->{$_} } qw(unit samples) };
}

sub problem_of_row {
    my ($row) = @_;
    return 'three numbers, and no head says that they are a baseline, a result and an index'
        if !defined $row->{category};
    return "its result $row->{rate} over its baseline $row->{baseline}"
        . " does not give the index $row->{index}";
}

# ---- values in JSON -----------------------------------------------------------------
#
# Lists of rates of each iteration below the title or name of a test, or one number at a title with
# its unit ("Execl Throughput(lps)").  A test is known by the key of its list or of what the list is
# in, or by the text of name, test, title, benchmark or metric beside it; its copies likewise
# ("2 copies", or the number of copies, threads, parallel or nr_task); other keys name the run.

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
    my %top = (titles => titles($tests), label => q{}, copies => 0);
    my %lists;
    for my $list (lists($data, \%top)) {
        my $place = "$list->{copies} $list->{test}{name}";
        die "several lists of values of $list->{test}{name}\n" if $lists{ $list->{label} }{$place};
        $lists{ $list->{label} }{$place} = $list;
    }
    my %at = map { $_ => index $text, q{"} . s/.* > //sr . q{"} } keys %lists;
    return map { run_of_lists($_, values %{ $lists{$_} }) }
        sort { $at{$a} <=> $at{$b} || $a cmp $b } keys %lists;
}

# -> ({ test, copies, label, values => [ { rate } ] })
sub lists {
    my ($data, $above) = @_;
    my %below = (%{$above}, titled => 0);
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

# Several values of a test are passes
sub run_of_lists {
    my ($label, @lists) = @_;
    @lists = sort { $a->{copies} <=> $b->{copies} || $a->{test}{name} cmp $b->{test}{name} } @lists;
    my %test = map { $_->{test}{name} => $_->{test} } @lists;
    my %copies = map { $_->{copies} + 0 => 1 } @lists;
    my @passes;
    for my $list (@lists) {
        my $round = 0;
        my %pass = (test => $list->{test}{name}, unit => $list->{test}{unit}, status => 'ok');
        @pass{qw(copies wall)} = ($list->{copies} + 0, 0);
        push @passes, map { { %pass, round => ++$round, %{$_} } } @{ $list->{values} };
    }
    my @printed = map { { %{$_}, title => $test{ $_->{test} }{title} } } @passes;
    my %single = (kind => 'imported', form => '5', scores => [], printed => \@printed);
    @single{qw(settings passes)} = ({ name => 'imported' }, []);
    utf8::decode($label) if utf8::downgrade($label, 1);
    return {
        kind       => 'run',
        suite      => 'UnixBench',
        name       => 'raw values',
        label      => length $label ? $label : undef,
        complete   => 1,
        settings   => { name => 'rounds' },
        system     => {},
        conditions => ['Values of another program, read from JSON'],
        blocks     => [ map { { copies => $_ } } sort { $a <=> $b } keys %copies ],
        tests      => [ map { { name   => $_, title => $test{$_}{title} } } sort keys %test ],
        passes     => \@passes,
        map({ $_ => [] } qw(options build categories)),
        @passes == @lists && !grep({ $_->{results} } @passes) ? %single : (),
    };
}

# ---- output of programs ----------------------------------------------------------------

# Lines that test programs print (pgms/fork 10).  The test of a start, which is a pass, stands in
# its VERSION line, else in the command before, else in the name of the file
sub outputs {
    my ($titles, $text, $path) = @_;
    my $named = $titles->{named};
    my $any = join q{|}, map { quotemeta } sort { length $b <=> length $a } keys %{$named};
    my ($name) = $path =~ m{(?<![[:alnum:]])($any)(?![[:alnum:]])[^/]*\z};
    my (@starts, %lists, $version);
    for my $line (text_lines($text)) {
        $name = $1 if $line->{text} =~ m{^(?!\w+[|])(?:.*[/ ])?($any)(?: |$)};
        push @starts, { %{$line}, line => $line->{number}, test => $name }
            if $line->{text} =~ /^COUNT[|]/;
        $starts[-1]{printed} .= "$line->{text}\n" if @starts && $line->{text} =~ /^[A-Z]+[|]./;
    }
    for my $start (@starts) {
        my $result = parse($start->{printed});
        ($start->{test}, $version) = ($1, $2) if $start->{printed} =~ /^VERSION[|]($any)[|](.+)/m;
        my $test = $start->{test};
        my $why = defined $test ? $result->{error} // $result->{skip} : NO_TEST;
        $why //= NO_TIME if $result->{timebase} && !$result->{time};
        $start->{why} = $why;
        my %value = (wall => $result->{time} // 0, results => [$result]);
        push @{ $lists{$test} }, { rate => rate_of([$result]), %value } if !defined $why;
    }
    my @lists = map { { test => $named->{$_}, copies => 1, values => $lists{$_} } } keys %lists;
    my %run = (suite => defined $version ? "SpawnMeter $version" : 'UnixBench', name => $path);
    $run{conditions} = ['Lines that programs printed, read from a text'];
    return {
        runs   => [ @lists ? { %{ run_of_lists(q{}, @lists) }, %run } : () ],
        unread => [ unread_of(@starts) ]
    };
}

1;
