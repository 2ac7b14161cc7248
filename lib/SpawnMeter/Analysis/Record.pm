# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Record;

# The records that pass between layers are plain hashes; this table has their fields.
#
#   types(record's name) -> { field => its type in a stored run, ! where it must be there; undef for
#       none }
#   record(record's name, field => value, ...) -> the record; its keys are locked: another one dies
#
# A field that is not given is undefined: it is unknown, or was not requested.

use strict;
use warnings;
use Exporter 'import';
use Hash::Util qw(lock_ref_keys);

our @EXPORT_OK = qw(record types);

# For each record its name, and in a line fields, their type (- for none; Store::Shape checks it
# when a run is loaded) and what they are.  "cell = test" has the fields of test, too.
my $RECORDS = <<'TABLE';
How a run is measured
settings:
    name            -           settle, quick or classic; imported: of a posted text
    slice           number      seconds of a pass
    slice_given     -           true: of all passes, also where several copies share a CPU
    warmup          number      seconds before each pass, of all copies on a CPU together
    precision       number      half of the interval, as a share of the center, that is enough
    max_time        number      seconds for each test at each number of copies
    time_given      -           true: not longer where several copies share a CPU
    seed            number      of the shuffle
    turns           number      seconds of a turn, where both sides of ab run at the same time
    reference       number      reference loops: share of a pass on either side of it
    pin             number      true: copy i is pinned to the i-th CPU
    placement       -           how these CPUs were chosen (--pin); undefined: by number
    cpus            -           these CPUs: "0,2,1,3"
    iterations      number      passes of each test at most (-i)
    counted         -           creations of a pass (--count)
    sweep_least     -           of a sweep: least passes of a cell
    fixed           -           passes of each cell, whatever their interval (published experiments)
    paired          -           true: in pairs of two sides; precision is of their difference (ab)
    max_total       -           seconds of the whole run
    seeds           number      of kernels: boots of each side, with the seeds 1, 2 ...
    functions       text        of kernels: the test whose functions the sides have

One line of tests.list
test:
    name            text!       on the command line and in baselines
    title           text        in reports
    category        text        name of the index that it belongs to
    groups          -           names that stand for several tests
    no_process      truth       true: its iterations create none, so the reference loops say
                                nothing of its rate; undefined: of a run before 1.0
    tree            -           true: the program is a classic tree's own
    classic         -           { length => long or short, seconds, options } of --classic
    slice           -           seconds of a pass; undefined: the run's
    program         -           in the folder of programs
    options         -           that the program is always given
    arguments       -           that it is given after --
    input           -           file of the tree for its standard input
    environment     -           { name => value } that is set for it
    skip            -           why it cannot run here; undefined: it can
    baseline        -           for the reader of posts: that of the classic suite

A test at a number of copies, or any other thing that is measured by itself
cell = test:
    test            -           name in the results
    copies          -           that run at once
    side            -           one of several equal cells (aa), or A or B (ab)
    of_side         -           of ab: the side
    series          -           of a sweep: the test with the options that are its own
    value           -           of a sweep: the label of the value
    pinned          -           of a sweep: true or false; undefined: the run's
    static          -           true: the program that is linked statically
    count           -           creations of a pass; undefined: by time

What every command gets (App); the last fields are set by a command
suite:
    root            -           folder of Run; the others are folders, too:
    binaries results testdir tmp  -  of the programs, the stored runs, the tests, temporary files
    state           -           for what must outlive Run
    cache           -           for what can be made anew; undefined: there is none
    work            -           in which make builds the programs; undefined: they are not built
    notice          -           where results are stored, if not in the tree
    version         -
    option          -           what Options::parse returns
    command         -           the command line as a user would type it
    commands        -           [names]
    catalog         -           of Catalog::Tests
    sweeps_list     -           file
    feature_of      -           { option of the programs => feature of those that take it }
    colours         -           true where what is printed for people has colours
    score_by        -           of Command::Selection, when it is known
    experiment      -           the published experiment that is repeated

What is measured, and by what; each field is there from the step on that sets it
plan:
    suite settings  -           these records
    kind sweep sides set_back   -  of the run
    tests tree score_by         -  [test], classic tree or undefined, of Command::Selection
    copies          -           [numbers]
    cpus            -           [numbers], in the order in which copies are pinned to them
    usable          -           number of CPUs that copies share that are not pinned
    transition      -           of ab: object of Measure::Sides; its enter() can die
    no_report       -           true: the report is not printed
    print           -           of ab: sub -> true where it has printed text
    summary         -           of ab: its result (Analysis::Pairs)
    facts progress  -           objects of Machine::Facts and Report::Progress
    say             -           sub (text), for the user
    record          -           sub (kind, data), which stores an entry of the run file
    results         -           files of the run (Store::ResultFiles)
    log             -           handle of its log
    passes          -           [pass] that were measured
    blocks          -           [ { copies, cells => [cell], title } ]: those of a block are
                                measured together, interleaved
    stopped         -           sub -> true where the run is to end
    runner          -           object of Measure::Runner
    clock           -           sub -> seconds
    conditions      -           sub -> what Machine::Counters reads
    so_far          -           { began, measured => seconds, conditions => at the beginning,
                                iteration => { cell => { side => seconds } }, spread =>
                                { copies => seconds }, besides => { cell => seconds } }

A cell, or a test on two sides, while it is measured (Measure::Schedule)
state:
    cell            -           without a side
    passes          -           [pass], of both sides
    measured        -           cell of Analysis::Results with these
    sides           -           [ { cell, passes } ]
    pairs           -           [pair]; undefined: it has no two sides
    used            -           seconds that it took
    repeated        -           number of passes that were made again
    good            -           looks in a row at which the interval was precise
    done settled    -           true: no more passes; its interval is precise
    rate            -           the result of these passes
    plus_minus      -           half of the interval, as a share
    ratio low high  -           of pairs the difference, with its interval

One raw sample
pass:
    test            text!       of the cell, as these:
    copies          copies!
    side value      text
    round           number      in which round of the schedule, from 1
    turns           number      true: at the same time as the other side's, in turns
    at              number      seconds since the run began, at its end
    wall            number!     seconds that it took with everything
    status          status!     ok, failed or skipped
    reason          text        why it failed or was skipped
    rate            -           of all copies, in the unit; above 0 where the status is ok
    unit            text        lps, lpm, KBps, MWIPS ...
    results         -           [copy]
    output          -           [ [lines that a copy printed] ] as JSON, of a pass that is stored
    counts          number_set  of kernels (Analysis::Instructions)
    window          number_set  of several copies (Analysis::ProgramOutput)
    machine         number_set  the counters' shares (Machine::Counters), and more

Of a pass: what the program of a copy printed (docs/formats.md has its lines)
copy:
    count           not_negative!
    timebase        number!
    time            positive
    disturb         number_set
    images          text        short, or whole: what execl executed
    references within           number_sets
    iterations gate creating timed copies spawners spread paused paused_cpu warmed  number

Of a copy, too: what only a whole report needs
costs:
    fault page_faults placement  numbers
    label batches               text
    cpu footprint               four_numbers
    latency stall               five_numbers
    histogram stalls            histogram
    start           five_number_sets
    starts          histogram_set

The result of a cell's passes; the types are those of a posted text
result:
    test title      text!
    category unit   text
    copies          copies!
    status reason   -
    rate            positive!   the headline, in the unit
    center          -           trimmed geometric mean of the passes that count
    low high        -           95 % interval of it
    plus_minus      number      half of that, as a share
    correlation     -           of neighbouring passes
    effective       -           how many independent passes those that count are worth
    few             -           true: worth too few passes for a good interval
    speeds          -           [ { rate, share } ] of two speeds, the lower one first
    passes          -           number of good passes
    used            -           number of those that count
    flagged         -           number of disturbed passes
    rates           -           of each pass
    best            -           the best pass
    reasons         -           { reason => number of passes }
    flags           -           number of reasons for each pass
    disturbed       -           true: too many of the passes are disturbed, or busy is known
    busy            number      CPUs that others used, where those are too many
    precise         -           true or false; undefined where the settings do not ask for it
    images          -           whole, where execl could not execute short ones; else undefined
    series          -           { y, x, x2 } of the passes that count
    where           -           the name of their loops
    summary         -           of these (Stats::Numbers)
    of_blocked of_cpu of_faults  -   likewise, of the reciprocals of the creating call's median, of
                                CPU time and page faults of an iteration
    drift_corrected  -          { rate, low, high, plus_minus } at the mean speed of its loops
    seconds         number      mean length of a pass
    cpu_us machine_us  -        CPU time of an iteration: parent and children; the whole machine
    latency blocked  -          [p50, p90, p99, p99.9, max] in microseconds: of an iteration, of the
                                creating call in the parent
    start           -           the same percentiles of the start-up: { period => ... }
    creators        -           copies and the threads of each that create at once
    fault           -           microseconds of a write to a copied page: [parent, child]
    faults_parent   -           minor page faults of an iteration, of the program
    faults_child    -           and of its children
    placement       -           share of creations whose child began on the parent's CPU
    baseline index  number      where it is scored
    time_us time_low time_high  -       microseconds of an iteration
    samples         number      of a posted text: passes
    rounding        number      of a posted text: error of the rate
    tabled          truth       of a posted text: only its index table has it

One of the states that ab or kernels compares; undefined: as it is
side:
    name            text!       A or B
    wrap            texts       [words of the command that the programs are started under]
    stop            text        command that ends what wrap started
    set             text        command that sets the machine's state
    gated           -           0 where a side has a stop: then no program waits for a gate
    programs        text        folder of its programs
    options         texts       [those that only its programs are given]
    build           texts       lines about its programs, where they are others
    kernel          text_set    of kernels: the image (Measure::Boot), and how it was booted
    configuration   text_set    of that image, as far as it concerns creations
    functions       number_set  of kernels: { function => its instructions } of the median creation
                                of the test that settings.functions names

run:
    format schema   -           of the file
    kind            kind        run, equals, ab, kernels, sweep or imported
    suite           text!       version that measured it
    name host       line
    command         text
    label           line        that the user gave it
    settings        text_set!   settings; called protocol in files of 0.3 to 0.5
    programs        text        folder of its programs, or own
    options         texts       those that change the programs' work
    unscored        truth       true: such options were given, so no index
    with_tree       -           true: a classic tree was used
    system          text_set!   { fact => value } (Machine::Facts)
    build           texts       lines about compiler, flags and libc
    categories      -           [category]
    tests           -           [test]
    sweep           -           of a sweep: its record
    sides           -           of ab: [side], A and B; of kernels one for each column
    set_back        text        of ab: command that sets the machine back
    blocks          -           [block]
    passes          -           [pass], in the order in which they ended
    started         time        seconds since 1970
    complete        truth       false: reason says why
    reason          text
    cost            number_set  { wall, measured, cpu } seconds of Run itself
    notes conditions  texts     lines of text
    results         -           for other programs; not read
    printed scores  -           of a posted text (Store::Import)
    form source     text        of a posted or published figure, as these:
    table elapsed_ms remarks  -
    posted          -           of a post: { head, notes => lines, virtual => 1 for a guest }

What ./Run list runs says of a run; stored at the end of its file
listed:
    complete        truth
    reason machine sweep  text
    tests results   number!     how many
    busy disturbed  number!     how many of these results
    scores          -           [score]

score:
    copies          copies!
    title           text
    score           number!
    partial         truth

Facts of the system that are computed with
system:
    cpus_online cpus_usable  number

category:
    name title      text!
    tests           texts!

The passes of all tests at a number of copies
block:
    copies          copies!
    started ended   time        since 1970
    cpus slice max_time  number
    date from to    text

Two or more runs; the others are compared with the first
comparison:
    runs            -           [reduced run, with called => its name in the comparison]
    width verbose   -           of the text: columns, or undefined for 72; true: all tests
    pairs           -           of each other run with the first: [what Comparison::compare returns]
    differences     -           likewise, [what Fingerprint::differing_facts returns]
    equals ranking  -           names of further equal runs; of three or more (Analysis::Ranking)

What a sweep varies, as it stands in its run
sweep:
    name title      text!
    axis            text!       what is varied, with its unit
    quantity        text        what is measured (Analysis::Quantity); undefined: time of a creation
    values series   texts!      labels, in order; names
    x               numbers!    of the labels, undefined where one is a name
    cells           -           "label series" of those that are measured; undefined: all
    parts           -           [sweeps] that are measured together; a label is then "NAME LABEL"
TABLE

# { record => { field => its type, or undef } }
my %TYPES;
{
    my $fields;
    for my $line (split /\n/, $RECORDS) {
        if ($line =~ /^(\w+)(?: = (\w+))?:$/) {
            $fields = $TYPES{$1} = $2 ? { %{ $TYPES{$2} } } : {};
        } elsif ($line =~ /^ {4}(\w+(?: \w+)*) {2,}(?:-|(\w+!?))(?: |$)/) {
            my ($names, $type) = ($1, $2);
            $fields->{$_} = $type for split q{ }, $names;
        }
    }
}

sub types { my ($kind) = @_; return $TYPES{$kind} }

sub record {
    my ($kind, %fields) = @_;
    return lock_ref_keys(\%fields, keys %{ $TYPES{$kind} });
}

1;
