# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::RunFile;

# The format of run files, which Store::ResultFiles writes, and their only reader.
#
#   load(path) -> run record of NAME.json, of NAME.part (the run was killed), or of a file of
#       samples (Store::Samples); dies with the path and the reason
#   load_or_why(path) -> (run record), or (undef, that reason)
#   load_all(path or - for standard input, [tests of the catalog] or undef, thorough => true or
#       false) -> { runs => [run record], unread => [ { line, text, why } ] }: as load(), and with
#       tests also of text reports, output of programs and values in JSON (Store::Import).  Not
#       thorough: without what only a whole report needs (latencies, footprints)
#   lines_of(kind of entry, data) -> its lines in a run file
#   whole_run(lines of a run that is being measured) -> run record
#   summary_of(path) -> { fields of the first entry, listed => the last one, where it is good },
#       without reading the others; undef where the file is not such a list of entries
#   run_max_mb() -> size of the largest run file that is read, in MB (1024 * 1024 bytes)
#   FORMAT, SCHEMA: what a run file has in these fields
#   problem_of_file(data) -> undef, or why the data of a file are not a run
#
# Each text of a run that is returned has control characters as \x0a (Util::Format, visible).

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(min);
use SpawnMeter::Analysis::ProgramOutput qw(parse_stored);
use SpawnMeter::Analysis::Record        qw(types);
use SpawnMeter::Store::Shape            qw(problem_of problem_of_list problem_of_run);
use SpawnMeter::Util::File              qw(decode encode);
use SpawnMeter::Util::Format            qw(make_visible plain);

our @EXPORT_OK = qw(load lines_of whole_run summary_of FORMAT SCHEMA);

use constant {
    FORMAT => 'spawnmeter-run',
    SCHEMA => 1,                 # raised when a reader of the old one would be wrong (CONTRIBUTING)
    MB     => 1024 * 1024,
    RUN_MAX_MB       => 64,           # a comparison needs nine times as much memory
    MEMORY           => 10,           # times this size: what the data of one may take
    VALUE            => 50,           # bytes of memory for each value,
    HOLDER           => 150,          # and more for each list and object
    PASSES_MAX       => 20_000,       # some seconds of computing
    REPORT_MAX_MB    => 16,           # a report has about 10 kB
    REASONS          => 3,            # lines that a message names
    KEYS_MAX         => 200,          # characters of the keys that a message names
    REPORT_LINES_MAX => 100_000,      # each takes about 500 bytes of memory
    TAIL             => 16 * 1024,    # bytes that hold the last entry of a run file
};

# Another limit, for a run of thousands of copies
my $LIMIT = 'SPAWNMETER_RUN_MAX_MB';

sub run_max_mb {
    my $set = $ENV{$LIMIT};
    return defined $set && $set =~ /\A\d{1,6}\z/a ? $set : RUN_MAX_MB;
}

# ---- the entries of a run file ----
#
# A run file is a list in JSON with a line for each entry, { kind => data }: so it can be written
# while the run is measured, and is JSON when it is whole.
#
#   run             fields of the run; the first line has those that it is found by
#   block, ended    passes at a number of copies begin, and end at this time
#   output, pass    what each copy printed, and the rest of the pass
#   end             complete, reason, cost
#   results         for other programs
#   listed          for ./Run list runs; it ends the list
#
# Most of a file are outputs, found by a pattern: JSON::PP takes its time for each character.

sub lines_of {
    my ($kind, $data) = @_;
    my $output = $kind eq 'pass' ? $data->{output} : undef;
    return encode({ $kind => $data }) . ($kind eq 'listed' ? "]\n" : ",\n") if !defined $output;
    my %pass = %{$data};
    delete @pass{qw(output results)};
    return (qq({"output":$output},\n), lines_of(pass => \%pass));
}

# -> (kind, data as JSON), or nothing where the line is not whole.  Journals up to 0.5 had no commas
sub entry {
    my ($line) = @_;
    return $line =~ /\A\[?\{"(\w+)":(.*)\}[],]?\n\z/s;
}

sub whole_run {
    my $run = add_results(run_of(@_), 1);
    make_visible($run);
    return $run;
}

# The run of the lines up to the first that is not whole, whose number is then in `damaged`; undef
# where no line is whole.  It is incomplete without an end entry.  `outputs` has what the copies of
# each pass printed
sub run_of {
    my (@lines) = @_;
    my %run = (complete => 0, reason => 'Run was killed before it finished', blocks => []);
    my ($whole, $output, %first, @passes, @outputs) = 0;
    for my $line (@lines) {
        my ($kind, $json) = entry($line) or last;
        my $data = $kind =~ /^(?:output|results|listed)\z/ ? $json : decoded($json);
        last if !defined $data;
        $whole++;
        if ($kind eq 'pass') {
            push @passes, $data;
            push @outputs, $output;
            $output = undef;
        } elsif ($kind eq 'output') {
            $output = $json;
        } elsif ($kind eq 'block') {
            push @{ $run{blocks} }, $data;
        } elsif ($kind eq 'ended') {
            $run{blocks}[-1]{ended} = $data if @{ $run{blocks} };
        } elsif ($kind =~ /^(?:run|end)\z/) {
            %run = (%run, %{$data}, %first);
            %first = %{$data} if !%first;    # the run is found by these: they stay
        }
    }
    @run{qw(passes outputs)} = (\@passes, \@outputs);
    $run{damaged} = 1 + $whole if $whole < @lines;
    return $whole ? \%run : undef;
}

# An object whose values are numbers, texts without escapes and objects of these, as most passes are
my $VALUE = qr/"[^"\\]*+"|-?\d++(?:[.]\d++)?(?:[eE][-+]?\d++)?|null/a;
my $SET = qr/\{(?:"\w++":(?:$VALUE)(?:,(?=")|(?=\})))*+\}/a;
my $FLAT = qr/\{(?:"\w++":(?:$VALUE|$SET)(?:,(?=")|(?=\})))*+\}/a;

# -> the data; undef where the text is not JSON.  For flat data JSON::PP takes five times as long
sub decoded {
    my ($json) = @_;
    if ($json !~ /\A$FLAT\z/) {
        my $list = eval { decode("[$json]") };
        return $list && @{$list} == 1 ? $list->[0] : undef;
    }
    my $set = my $data = {};
    while ($json =~ /"(\w+)":(?:\{|"([^"]*)"|([^,}]+))(\}?)/g) {
        my ($key, $text, $number, $is_last) = ($1, $2, $3, $4);
        if    (defined $text)   { $set->{$key} = $text }
        elsif (defined $number) { $set->{$key} = $number eq 'null' ? undef : $number + 0 }
        else                    { $set = $data->{$key} = {} }
        $set = $data if $is_last;
    }
    return $data;
}

# Lines of a copy that only a whole report needs
my $OF_REPORT = qr/^(?:LATENCY|HISTOGRAM|TIMED|START|FAULT|PLACEMENT|FOOTPRINT|BATCHES)[|].*\n?/m;

# The results of passes, from what their copies printed
sub add_results {
    my ($run, $thorough) = @_;
    my @outputs = @{ delete $run->{outputs} };
    for my $pass (@{ $run->{passes} }) {
        my $output = shift @outputs;
        next if !defined $output;
        my @copies =
            $output =~ /\\/
            ? map { join "\n", @{$_} } @{ decoded($output) || [] }
            : map { join "\n", /"([^"]*)"/g } split /\],\[/, $output;
        s/$OF_REPORT//g for $thorough ? () : @copies;
        $pass->{results} = [ map { parse_stored($_) } @copies ];
    }
    return $run;
}

sub summary_of {
    my ($path) = @_;
    open my $in, '<:raw', $path                     or return;
    my ($kind, $json) = entry(scalar(<$in>) // q{}) or return;
    my $run = $kind eq 'run' ? eval { decoded($json) } : undef;
    return
        if ref $run ne 'HASH'
        || problem_of(run => q{}, { %{$run}, settings => {}, system => {} });
    seek $in, -min(TAIL, -s $in), 2;
    read $in, my $text, TAIL;
    ($kind, $json) = entry($text =~ /([^\n]*\n)\z/ ? $1 : q{});
    my $listed = ($kind // q{}) eq 'listed' ? eval { decoded($json) } : undef;
    $listed = undef if ref $listed ne 'HASH';
    my $bad = problem_of(listed => q{}, $listed)
        || problem_of_list($listed->{scores}, 'score', q{});
    return { %{$run}, listed => $bad ? undef : $listed };
}

sub load {
    my ($path) = @_;
    return load_all($path, undef, thorough => 1)->{runs}[0];
}

# A message without the path at its beginning is a fault of this program, and no reason
sub load_or_why {
    my ($path) = @_;
    my $run = eval { load($path) };
    die $@ if !$run && $@ !~ /\A\Q$path\E[:,] /;
    return ($run, $run ? undef : $@);
}

sub load_all {
    my ($path, $tests, %options) = @_;
    my $text = contents($path);
    my ($runs, $unread) = runs_in($path, $text, $tests);
    my $known = types('run');
    for my $run (@{$runs}) {
        $run->{settings} = delete $run->{protocol} if ref $run eq 'HASH' && $run->{protocol};
        my $problem = problem_of_file($run);
        die "$path: $problem\n" if defined $problem;
        die "$path: $@" if $run->{outputs} && !eval { add_results($run, $options{thorough}) };

        # this version may use the name of a field that it does not know for something else
        delete @{$run}{ grep { !exists $known->{$_} } keys %{$run} };

        # a run file of printable ASCII without escapes has nothing to make visible
        make_visible($run) if $unread || $text =~ tr/\n -[]-~//c;
    }
    return { runs => $runs, unread => $unread || [] };
}

my $JSON = qr/\s*(?:\{\s*["}]|\[\s*\{\s*")/;

# -> ([runs], [lines of a report that were not read]); without tests only run files and samples
sub runs_in {
    my ($path, $text, $tests) = @_;
    my $is_part = $path =~ /(?<![.]samples)[.]part\z/;
    return [ run_of_entries($path, $text) ] if $is_part || $text =~ /\A\[?\{"run":/;
    my ($fenced) = $tests ? $text =~ /^`{3,}(?:json)?\s*?\n($JSON.*?)^`{3,}/ms : ();
    return [ runs_of_json($path, $fenced // $text, $tests) ]
        if defined $fenced || $text =~ /\A$JSON/;
    if ($text =~ /^SPAWNMETER-SAMPLES[|]/m) {    # of portable/run.sh
        require SpawnMeter::Store::Samples;
        return [ eval { SpawnMeter::Store::Samples::run_of_samples($text) } || die "$path, $@" ];
    }
    return $tests ? runs_of_report($path, $text, $tests) : [ runs_of_json($path, $text) ];
}

# Of a run that is being measured the last line can be torn; nothing else is cut off
sub run_of_entries {
    my ($path, $text) = @_;
    check_memory($path, $text);
    my $run = eval { run_of(split /^/m, $text) };
    die "$path: ", length $@ ? $@ : "Run was killed before it measured anything\n" if !$run;
    my $damaged = delete $run->{damaged};
    return $run if $path =~ /[.]part\z/ || !$damaged && $text =~ /\]\n\z/;
    my $is_cut = !$damaged || $damaged > $text =~ tr/\n//;
    die "$path: ", $is_cut ? 'the end of the file is missing' : "line $damaged is not whole", "\n";
}

# A run file, or raw values of tests
sub runs_of_json {
    my ($path, $text, $tests) = @_;
    check_memory($path, $text);
    my $data = eval { decode($text) };
    die "$path: not a complete JSON file: ", plain($@ =~ s/ at \S+ line \d+[.]?\s*\z//r), "\n"
        if !$data;
    return $data if ref $data eq 'HASH' && defined $data->{format};
    require SpawnMeter::Store::Import;
    my @runs = eval { SpawnMeter::Store::Import::runs_of_values($text, $data, $tests || []) };
    die "$path: $@" if $@;
    return posted($path, @runs) if @runs;
    my $keys = ref $data eq 'HASH' ? plain(join(q{ }, sort keys %{$data}), KEYS_MAX) : 'a list';
    die "$path: JSON that is neither a run of SpawnMeter nor rates below titles of tests;"
        . " its keys: $keys\n";
}

# Dies where the data of the text, which a stranger can have written, would take too much memory
sub check_memory {
    my ($path, $text) = @_;
    my $holders = $text =~ tr/[{//;
    my $bytes = VALUE * ($holders + $text =~ tr/,//) + HOLDER * $holders;
    die too_large($path) if $bytes > MEMORY * run_max_mb() * MB;
    return;
}

# A report, or lines that test programs print
sub runs_of_report {
    my ($path, $text, $tests) = @_;
    die "$path: too large for a report (over ", REPORT_LINES_MAX, ' lines or ', REPORT_MAX_MB,
        " MB)\n"
        if $text =~ tr/\r\n// > REPORT_LINES_MAX || length $text > REPORT_MAX_MB * MB;
    require SpawnMeter::Store::Import;
    my ($runs, $unread) =
        @{ SpawnMeter::Store::Import::import_reports($text, $tests, $path) }{qw(runs unread)};
    return [ posted($path, @{$runs}) ], $unread if @{$runs};
    my @first = grep { defined } @{$unread}[ 0 .. REASONS - 1 ];
    die join("\n  ",
        "$path: no run and no report found",
        map { "line $_->{line}: $_->{why}: " . plain($_->{text}) } @first),
        "\n";
}

# What a run of another program's file is stored with
sub posted {
    my ($path, @runs) = @_;
    my $source = $path eq q{-} ? 'standard input' : $path;
    return map { { %{$_}, format => FORMAT, schema => SCHEMA, source => $source } } @runs;
}

sub problem_of_file {
    my ($run) = @_;
    return 'not a run file of SpawnMeter'
        if ref $run ne 'HASH' || ($run->{format} || q{}) ne FORMAT;
    my $schema = $run->{schema} || q{};
    return 'a run file without a schema version' if $schema !~ /^\d{1,6}\z/a;
    return "the file has schema version $schema, and this version of SpawnMeter reads up to "
        . SCHEMA
        if $schema > SCHEMA;
    my $passes = ref $run->{passes} eq 'ARRAY' ? @{ $run->{passes} } : 0;
    return $passes > PASSES_MAX ? 'more than ' . PASSES_MAX . ' passes' : problem_of_run($run);
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
    if ($path ne q{-}) {
        die "$path: $!\n" if !-e $path;
        die "$path: a folder, not a file\n" if -d _;

        # of pipes only a shell's <(command), or standard input by its name: another one can stay
        # without a writer
        my $is_pipe = -p _ && $path =~ m{^/(?:dev|proc/self)/(?:stdin|fd/\d+)\z};
        die "$path: not a regular file (./Run show - reads standard input)\n" if !-f _ && !$is_pipe;
        die too_large($path) if -s _ > $max;
        open $in, '<', $path or die "$path: $!\n";
    }
    binmode $in;
    my ($text, $got) = (q{});
    1 while ($got = read $in, $text, MB, length $text) && length $text <= $max;
    die "$path: ", $! || 'a part of it cannot be read', "\n" if !defined $got;
    die too_large($path) if length $text > $max;
    return $text;
}

1;
