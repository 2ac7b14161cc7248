# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::RunFile;

# The only reader of run files; Store::ResultFiles writes them.
#
#   load(path) -> run record: of NAME.json, of a file of samples (Store::Samples), or of a
#       journal NAME.part, as an incomplete run; dies with the path and the reason
#   load_all(path or - for standard input, tests of the catalog, thorough => true or false)
#       -> { runs => [run record], unread => [ { line, text, why } ] }: likewise, and of the
#       text reports of the classic suites (Store::Import), and of raw values in JSON
#       (Store::RawValues).  Not thorough: only what a comparison needs is checked
#       (Store::Schema)
#   run_of(lines of a journal, as they are needed: sub -> line or undef) -> run record: up to the
#       first line that is not whole; undef where there is none
#   run_max_mb() -> size of the largest run file that is read, in MB (1024 * 1024 bytes)
#   FORMAT, SCHEMA: what a run file has in these fields (Store::Schema)
#   unreadable(path, run) -> undef, or why load() will not read this run, for its size
#   problem_of_file(data, thorough) -> undef, or why the data of a file are not a run

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Record qw(loaded_run);
use SpawnMeter::Store::Samples   qw(has_samples run_of_samples);
use SpawnMeter::Store::Schema    qw(FORMAT SCHEMA problem_of_run);
use SpawnMeter::Util::File       qw(decode);

our @EXPORT_OK = qw(run_of unreadable);

use constant {
    MB               => 1024 * 1024,
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
    check_file($path);
    return of_journal($path) if is_journal($path);
    my $text = contents($path);
    return has_samples($text) ? from_samples($path, $text, 1) : from_json($path, $text, [], 1);
}

sub load_all {
    my ($path, $tests, %how) = @_;
    return { runs => [ load($path) ], unread => [] } if is_journal($path);
    check_file($path) if $path ne q{-};
    my $text = contents($path);
    return { runs => [ from_json($path, $text, $tests, $how{thorough}) ], unread => [] }
        if $text =~ /\A\s*(?:\{\s*["}]|\[\s*\{\s*")/;    # a text can begin with [ and { as well
    return { runs => [ from_samples($path, $text, $how{thorough}) ], unread => [] }
        if has_samples($text);
    return from_report($path, $text, $tests);
}

# NAME.samples.part are the samples of a run that was killed
sub is_journal { my ($path) = @_; return $path =~ /(?<![.]samples)[.]part\z/ }

sub of_journal {
    my ($path) = @_;
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
    $_->{source} = $path eq q{-} ? 'standard input' : $path for @{ $found->{runs} };
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

1;
