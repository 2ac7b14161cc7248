# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::RunFile;

# What a run file is: the only reader of run files, which Store::ResultFiles writes, and what a
# stored run must look like, so that all that read it can rely on it.
#
#   load(path) -> run record: of NAME.json, of a file of samples (Store::Samples), or of a
#       journal NAME.part, as an incomplete run; dies with the path and the reason
#   load_all(path or - for standard input, tests of the catalog, thorough => true or false)
#       -> { runs => [run record], unread => [ { line, text, why } ] }: likewise, and of the
#       text reports of the classic suites (Store::Import), and of raw values in JSON
#       (Store::RawValues).  Not thorough: what only a whole report needs is not checked (CPU
#       times, latencies, footprints)
#   run_of(lines of a journal, as they are needed: sub -> line or undef) -> run record: up to the
#       first line that is not whole; undef where there is none
#   run_max_mb() -> size of the largest run file that is read, in MB (1024 * 1024 bytes)
#   FORMAT, SCHEMA: what a run file has in these fields
#   unreadable(path, run) -> undef, or why load() will not read this run, for its size
#   problem_of_file(data, thorough) -> undef, or why the data of a file are not a run
#   problem_of_run(data, thorough) -> likewise, with the place ("passes[3].rate is not a number
#       above 0"); in a field that Analysis::Record gives no type anything may stand.  An undefined
#       field counts as absent
#   is_type(name, value) -> true where the value is defined and of this type

use strict;
use warnings;
use Exporter 'import';
use Scalar::Util                   qw(looks_like_number);
use SpawnMeter::Analysis::Quantity qw(is_histogram);
use SpawnMeter::Analysis::Record   qw(loaded_run types);
use SpawnMeter::Store::Samples     qw(has_samples run_of_samples);
use SpawnMeter::Util::File         qw(decode);

our @EXPORT_OK = qw(run_of unreadable problem_of_run is_type);

use constant {
    FORMAT => 'spawnmeter-run',
    SCHEMA => 1,                 # raised when a reader of the old one would be wrong (CONTRIBUTING)
    MB     => 1024 * 1024,
    RUN_MAX_MB       => 64,             # a comparison needs nine times as much memory
    PASSES_MAX       => 20_000,         # some seconds of computing
    REPORT_MAX_MB    => 16,             # a report has about 10 kB
    REPORT_LINES_MAX => 100_000,        # each takes about 500 bytes of memory
    AT_ONCE          => 1024 * 1024,    # bytes of a read
    REASON_MAX       => 200,            # characters of a parser's message
};

# Another limit, for a run of thousands of copies
my $LIMIT = 'SPAWNMETER_RUN_MAX_MB';

sub run_max_mb {
    my $set = $ENV{$LIMIT};
    return defined $set && $set =~ /\A\d{1,6}\z/a ? $set : RUN_MAX_MB;
}

# Without an end it is incomplete
sub run_of {
    my ($next_line) = @_;
    my %run = (
        passes   => [],
        blocks   => [],
        complete => 0,
        reason   => 'Run was killed before it finished',
    );
    my $lines = 0;
    while (defined(my $line = $next_line->())) {
        my ($kind, $data) = entry($line) or last;
        $lines++;
        if    ($kind eq 'pass')           { push @{ $run{passes} }, $data }
        elsif ($kind eq 'block')          { push @{ $run{blocks} }, $data }
        elsif ($kind eq 'ended')          { $run{blocks}[-1]{ended} = $data if @{ $run{blocks} } }
        elsif ($kind =~ /^(?:run|end)\z/) { %run = (%run, %{$data}) }
    }
    return $lines ? \%run : undef;
}

# -> (kind, data), or nothing where the line is not whole
sub entry {
    my ($line) = @_;
    return if $line !~ /\n\z/;
    my $object = eval { decode($line) };
    return if ref $object ne 'HASH' || keys %{$object} != 1;
    return %{$object};
}

sub load {
    my ($path) = @_;
    return load_all($path, undef, thorough => 1)->{runs}[0];
}

# Without tests a text is no report
sub load_all {
    my ($path, $tests, %how) = @_;
    return { runs => [ of_journal($path) ], unread => [] } if is_journal($path);
    check_file($path) if $path ne q{-};
    my $text = contents($path);
    my $is_json = $text =~ /\A\s*(?:\{\s*["}]|\[\s*\{\s*")/;    # a text can begin with [ and {
    my $is_samples = !$is_json && has_samples($text);
    return from_report($path, $text, $tests) if $tests && !$is_json && !$is_samples;
    my @runs =
        $is_samples
        ? from_samples($path, $text, $how{thorough})
        : from_json($path, $text, $tests || [], $how{thorough});
    return { runs => \@runs, unread => [] };
}

# NAME.samples.part are the samples of a run that was killed
sub is_journal { my ($path) = @_; return $path =~ /(?<![.]samples)[.]part\z/ }

sub of_journal {
    my ($path) = @_;
    check_file($path);
    open my $in, '<:raw', $path or die "$path: $!\n";
    my $run = run_of(sub { return scalar <$in> })
        or die "$path: Run was killed before it measured anything\n";
    close $in or die "$path: $!\n";
    return checked($path, $run, 1);
}

# A run file, or raw values of tests
sub from_json {
    my ($path, $text, $tests, $thorough) = @_;
    my $run = eval { decode($text) } or die "$path: not a complete JSON file: ", reason($@), "\n";
    return checked($path, $run, $thorough) if ref $run eq 'HASH' && defined $run->{format};
    require SpawnMeter::Store::RawValues;
    my @runs = eval { SpawnMeter::Store::RawValues::runs_of_values($text, $run, $tests) };
    die "$path: $@" if $@;
    return map { checked($path, $_, $thorough) } @runs ? @runs : $run;
}

# Of portable/run.sh
sub from_samples {
    my ($path, $text, $thorough) = @_;
    my $run = eval { run_of_samples($text) } or die "$path, $@";
    return checked($path, $run, $thorough);
}

sub from_report {
    my ($path, $text, $tests) = @_;
    die "$path: too large for a report (over @{[ REPORT_MAX_MB ]} MB)\n"
        if length $text > REPORT_MAX_MB * MB;
    die "$path: too many lines for a report (over @{[ REPORT_LINES_MAX ]})\n"
        if $text =~ tr/\r\n// > REPORT_LINES_MAX;
    require SpawnMeter::Store::Import;
    my $found = SpawnMeter::Store::Import::import_reports($text, $tests);
    die "$path: no run and no report found", first_unread($found), "\n" if !@{ $found->{runs} };
    my %of_file = (format => FORMAT, schema => SCHEMA);
    $of_file{source} = $path eq q{-} ? 'standard input' : $path;
    @{$_}{ keys %of_file } = values %of_file for @{ $found->{runs} };
    return $found;
}

# Often the one line that shows why
sub first_unread {
    my ($found) = @_;
    my ($line) = @{ $found->{unread} } or return q{};
    return "; line $line->{line} was not read, since $line->{why}";
}

sub checked {
    my ($path, $run, $thorough) = @_;
    my $problem = problem_of_file($run, $thorough);
    die "$path: $problem\n" if defined $problem;
    return loaded_run($run);
}

sub problem_of_file {
    my ($run, $thorough) = @_;
    return 'not a run file of SpawnMeter'
        if ref $run ne 'HASH' || ($run->{format} || q{}) ne FORMAT;
    my $schema = $run->{schema} || q{};
    return 'a run file without a schema version' if $schema !~ /^\d{1,6}\z/a;
    return "the file has schema version $schema, and this version of SpawnMeter reads up to "
        . SCHEMA
        if $schema > SCHEMA;
    return too_many_passes($run) || problem_of_run($run, $thorough);
}

sub unreadable {
    my ($path, $run) = @_;
    return eval { check_file($path); 1 } ? too_many_passes($run) : $@ =~ s/\n\z//r;
}

sub too_many_passes {
    my ($run) = @_;
    my $passes = $run->{passes};
    return
        ref $passes eq 'ARRAY' && @{$passes} > PASSES_MAX
        ? 'more than ' . PASSES_MAX . ' passes'
        : undef;
}

sub check_file {
    my ($path) = @_;
    die "$path: a folder, not a file\n" if -d $path;
    die "$path: $!\n" if !-e $path;

    # a shell's <(command), or standard input by its name; another pipe may never be written to
    return if -p _ && $path =~ m{^/(?:dev|proc/self)/(?:stdin|fd/\d+)\z};
    die "$path: not a regular file (./Run show - reads standard input)\n" if !-f _;
    die too_large($path) if -s _ > run_max_mb() * MB;
    return;
}

sub too_large {
    my ($path) = @_;
    my $limit = run_max_mb();
    return "$path: too large for a run file (over $limit MB; $LIMIT sets another limit)\n";
}

sub contents {
    my ($path) = @_;
    my $in = \*STDIN;
    my $max = run_max_mb() * MB;
    if   ($path eq q{-}) { binmode $in }
    else                 { open $in, '<:raw', $path or die "$path: $!\n" }
    my ($text, $got) = (q{});
    1 while ($got = read $in, $text, AT_ONCE, length $text) && length $text <= $max;
    die "$path: ", $! || 'a part of it cannot be read', "\n" if !defined $got;
    die too_large($path) if length $text > $max;
    return $text;
}

# A parser's message without the line of the source
sub reason {
    my ($error) = @_;
    $error =~ s/ at \S+ line \d+[.]?\s*\z//;
    $error =~ s/[^\x20-\x7e]/?/g;
    return substr $error, 0, REASON_MAX;
}

# ---- what a run must look like ----

use constant {
    TEXT_MAX => 100_000,    # characters
    TIME_MAX => 1e15,       # seconds from 1970: a wall clock can say anything
    MOST     => 1e99,       # of any number: none is infinite or NaN, nor are products of a few
};

sub is_number { return defined $_[0] && are_numbers($_[0]) }
sub is_text { return defined $_[0] && !ref $_[0] && length $_[0] <= TEXT_MAX }

# Whether all that are defined are numbers.  Of JSON most are, and a text that is one has no blank
# (x ^ x is 0 of a number)
sub are_numbers {
    for (@_) {
        next if !defined;
        return if ref || !looks_like_number($_) || $_ ^ $_ && /\s/ || !(abs() < MOST);
    }
    return 1;
}

sub is_number_list { return ref $_[0] eq 'ARRAY' && are_numbers(@{ $_[0] }) }
sub is_number_set  { return ref $_[0] eq 'HASH'  && are_numbers(values %{ $_[0] }) }

sub is_text_set {
    return ref $_[0] eq 'HASH' && !grep { defined && !is_text($_) } values %{ $_[0] };
}

sub matching {
    my ($pattern) = @_;
    return sub { return defined $_[0] && !ref $_[0] && $_[0] =~ $pattern };
}

sub list_of {
    my ($check) = @_;
    return sub {
        return ref $_[0] eq 'ARRAY' && !grep { !$check->($_) } @{ $_[0] };
    };
}

sub set_of {
    my ($check) = @_;
    return sub {
        return ref $_[0] eq 'HASH' && !grep { !$check->($_) } values %{ $_[0] };
    };
}

sub numbers {
    my ($count) = @_;
    return sub { return is_number_list($_[0]) && @{ $_[0] } == $count };
}

# Name => what it is, for messages, and sub (defined value) -> true where it is of this type
my %TYPE = (
    number           => [ 'a number', \&is_number ],
    positive         => [ 'a number above 0', sub { return is_number(@_) && $_[0] > 0 } ],
    not_negative     => [ 'a number that is not negative', sub { is_number(@_) && $_[0] >= 0 } ],
    time             => [ 'a time', sub { return is_number(@_) && abs $_[0] < TIME_MAX } ],
    truth            => [ 'true or false', sub { !ref $_[0] || ref($_[0]) =~ /Boolean\z/ } ],
    text             => [ 'a text', \&is_text ],
    name             => [ 'a name', \&is_text ],
    histogram        => [ 'a histogram', \&is_histogram ],
    four_numbers     => [ 'a list of four numbers', numbers(4) ],
    five_numbers     => [ 'a list of five numbers', numbers(5) ],
    numbers          => [ 'a list of numbers', \&is_number_list ],
    texts            => [ 'a list of texts', list_of(\&is_text) ],
    number_sets      => [ 'a list of sets of numbers', list_of(\&is_number_set) ],
    number_set       => [ 'a set of numbers', \&is_number_set ],
    text_set         => [ 'a set of texts', \&is_text_set ],
    five_number_sets => [ 'a set of lists of five numbers', set_of(numbers(5)) ],
    histogram_set    => [ 'a set of histograms', set_of(\&is_histogram) ],
    copies           => [ 'a number of copies', matching(qr/^\d{1,5}\z/a) ],
    status           => [ 'ok, failed or skipped', matching(qr/^(?:ok|failed|skipped)\z/) ],
    kind             => [
        'a kind of run (run, equals, ab, sweep or imported)',
        matching(qr/^(?:run|equals|ab|sweep|imported)\z/)
    ],
);

sub is_type {
    my ($name, $value) = @_;
    my $type = $TYPE{$name} || die "no type '$name'\n";
    return defined $value && $type->[1]->($value);
}

# { record => [ [ field, required, type ] ] }, the required ones first
my %FIELDS = map { $_ => [ checked_fields(types($_)) ] }
    qw(run settings system test category block sweep side pass copy costs result);

sub checked_fields {
    my ($types) = @_;
    my @fields = map { [ $_, $types->{$_} =~ /(!?)\z/, $TYPE{ $types->{$_} =~ s/!//r } ] }
        grep { defined $types->{$_} } sort keys %{$types};
    return sort { $b->[1] cmp $a->[1] } @fields;
}

my %MORE = (
    pass => sub {
        my ($pass, $place, $thorough) = @_;
        return if $pass->{status} ne 'ok';
        return "$place.rate is not a number above 0" if !is_type('positive', $pass->{rate});
        return if !defined $pass->{results};
        my ($problem) =
            grep { defined } map { problem_of_list($pass->{results}, $_, "$place.results") } 'copy',
            $thorough ? 'costs' : ();
        return $problem;
    },
    sweep => sub {
        my ($sweep, $place) = @_;
        my $good = @{ $sweep->{x} } == @{ $sweep->{values} };
        return $good ? undef : "$place.x and $place.values have different lengths";
    },
);

sub problem_of {
    my ($data, $shape, $place, $thorough) = @_;
    return "$place is not an object" if ref $data ne 'HASH';
    for my $field (@{ $FIELDS{$shape} }) {
        my ($name, $required, $type) = @{$field};
        if (defined $data->{$name}) {
            return "$place.$name is not $type->[0]" if !$type->[1]->($data->{$name});
        } elsif ($required) {
            return "$place has no $name";
        }
    }
    return $MORE{$shape} ? $MORE{$shape}->($data, $place, $thorough) : undef;
}

sub problem_of_list {
    my ($data, $shape, $place, $thorough) = @_;
    return "$place is not a list" if ref $data ne 'ARRAY';
    for my $i (0 .. $#{$data}) {
        my $problem = problem_of($data->[$i], $shape, "$place\[$i]", $thorough);
        return $problem if defined $problem;
    }
    return;
}

# The parts of a run, in the order of the checks: name, what it is, or each of its list, and whether
# it can be missing
my @PARTS = (
    [qw(protocol settings)], [qw(system system)],
    [qw(tests test list)], [qw(blocks block list)],
    [qw(categories category list optional)], [qw(printed result list optional)],
    [ 'sweep', 'sweep', undef, 'optional' ], [qw(sides side list optional)],
    [qw(passes pass list)],
);

sub problem_of_run {
    my ($run, $thorough) = @_;
    my $problem = problem_of($run, 'run', 'run');
    for my $part (@PARTS) {
        return $problem if defined $problem;
        my ($name, $shape, $is_list, $optional) = @{$part};
        next if $optional && !defined $run->{$name};
        my $check = $is_list ? \&problem_of_list : \&problem_of;
        $problem = $check->($run->{$name}, $shape, $name, $thorough);
    }
    return $problem;
}

1;
