package SpawnMeter::Store::RunFile;

# The only reader and writer of run files.
#
#   names(folder, host, date) -> the first free name HOST-YYYY-MM-DD-NN
#   open_results(folder, name or undef, host) -> { folder, name, log, journal },
#       made before anything is measured; dies if they cannot be
#   check(results): dies where the journal cannot be written to
#   forget(results): removes them, since nothing was measured
#   finish(results, run): writes NAME.json by renaming and removes the journal
#   load(path) -> run (of NAME.json or of a journal NAME.part, as an incomplete
#       run); dies with the file and what is wrong with it
#   load_all(path or -, tests of the catalog, thorough => true or nothing) ->
#       { runs => [run], unread => [ { line, text, why } ] }:
#       likewise, and the classic suites' text reports (SpawnMeter::Store::Import); not
#       thorough: only what a comparison needs is checked (SpawnMeter::Store::Schema)
#   assemble(entries of a journal) -> run
#   assemble_measured(entries as they were measured) -> run, with the numbers that a reader
#       of its file will have: 15 digits of them, so that both print the same
#
# A run: { format => 'spawnmeter-run', schema => 1, suite, name, command,
#   protocol, options, system, build, tests, blocks => [ { copies, started, ended } ],
#   passes => [...], complete, reason }

use strict;
use warnings;
use Fcntl      qw(O_WRONLY O_CREAT O_EXCL);
use File::Path ();
use POSIX      ();
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Analysis::Record qw(loaded_run);
use SpawnMeter::Store::Import    qw(import_reports);
use SpawnMeter::Store::Journal;
use SpawnMeter::Util::Json    qw(decode encode);
use SpawnMeter::Store::Schema qw(problem_of_run);

use constant {
    FORMAT   => 'spawnmeter-run',
    SCHEMA   => 1,               # raised when a reader of the old one would be wrong (CONTRIBUTING)
    SIZE_MAX => 256 * 1024 * 1024,
    TEXT_MAX => 16 * 1024 * 1024,    # of a report: they have some 10 kB
};

# A host's name, made fit for a file name
sub host_name {
    my ($name) = @_;
    $name =~ s/[^A-Za-z0-9._-]/_/g;
    $name =~ s/^[.-]+//;
    return length $name ? substr($name, 0, 64) : 'unknown';
}

sub create {
    my ($path) = @_;
    sysopen my $out, $path, O_WRONLY | O_CREAT | O_EXCL, 0666 or return;
    return $out;
}

# Reserves the first free name by creating its log, so that two runs never share one
sub open_results {
    my ($folder, $name, $host) = @_;
    eval { File::Path::make_path($folder); 1 } or die cannot($folder, $!);
    die "$folder is no folder; UB_RESULTDIR names another\n" if !-d $folder;
    if (defined $name) {

        # room for an ending, in the 255 bytes that names have nearly everywhere
        die
            "UB_OUTPUT_FILE_NAME: '$name' must be a name of at most 240 bytes, without a slash or a control character\n"
            if $name !~ m{\A[^/[:cntrl:]]{1,240}\z} || $name =~ /\A[.]{1,2}\z/;
        unlink map { "$folder/$name$_" } qw(.log .part);    # the others in check()
        my $log = create("$folder/$name.log") or die cannot($folder, $!);
        return { %{ results($folder, $name, $log) }, replaces => 1 };
    }
    my $base = host_name($host) . POSIX::strftime('-%Y-%m-%d-', localtime);
    for my $number (1 .. 9999) {
        my $try = $base . sprintf '%02d', $number;
        next if grep { -e "$folder/$try$_" || -l "$folder/$try$_" } q{}, '.json', '.part';
        my $log = create("$folder/$try.log");
        return results($folder, $try, $log) if $log;
        die cannot($folder, $!) if !$!{EEXIST};
    }
    die "$folder holds too many results of today; UB_RESULTDIR names another folder\n";
}

sub cannot {
    my ($folder, $why) = @_;
    return "cannot write results to $folder: $why; UB_RESULTDIR names another folder\n";
}

sub results {
    my ($folder, $name, $log) = @_;

    # while nothing is measured they are nobody's
    SpawnMeter::Util::Cleanup::file("$folder/$name$_") for qw(.log .part);
    my $journal = SpawnMeter::Store::Journal->create("$folder/$name.part");
    return {
        folder  => $folder,
        name    => $name,
        path    => "$folder/$name",
        log     => $log,
        journal => $journal
    };
}

# Writes a whole file beside its place, and renames it there
sub write_file {
    my ($path, $text) = @_;
    my $new = "$path.new";
    SpawnMeter::Util::Cleanup::file($new);
    unlink $new;
    my $out = create($new) or die "cannot write $path: $!\n";
    my $good = print {$out} $text;
    $good = close($out) && $good;
    my $renamed = $good && rename $new, $path;
    my $why = $!;
    SpawnMeter::Util::Cleanup::keep($new);
    return 1 if $renamed;
    unlink $new;
    die "cannot write $path: $why\n";
}

# Dies, and leaves nothing, where the journal could not take its first lines; else they
# are a run's from now on, and what had their name is removed
sub check {
    my ($results) = @_;
    my $why = $results->{journal}->failed;
    if (!defined $why) {
        SpawnMeter::Util::Cleanup::keep("$results->{path}$_") for qw(.log .part);
        unlink map { "$results->{path}$_" } q{}, qw(.csv .json .html .svg .png)
            if $results->{replaces};
        return;
    }
    forget($results);
    die cannot($results->{folder}, $why);
}

sub forget {
    my ($results) = @_;
    $results->{journal}->remove;
    unlink "$results->{path}.log";
    return;
}

sub finish {
    my ($results, $run) = @_;
    write_file("$results->{path}.json", encode($run) . "\n");
    $results->{journal}->remove;
    return;
}

# A list of journal entries, or of a whole run's parts, to a run
sub assemble {
    my (@entries) = @_;
    my %run = (passes => [], blocks => [], complete => 0, reason => 'it was torn off');
    for my $entry (@entries) {
        my ($kind, $data) = @{$entry}{qw(kind data)};
        if    ($kind eq 'run')   { %run = (%run, %{$data}) }
        elsif ($kind eq 'pass')  { push @{ $run{passes} }, $data }
        elsif ($kind eq 'block') { push @{ $run{blocks} }, $data }
        elsif ($kind eq 'ended') { $run{blocks}[-1]{ended} = $data if @{ $run{blocks} } }
        elsif ($kind eq 'end')   { %run = (%run, %{$data}) }
    }
    return \%run;
}

sub assemble_measured {
    my (@entries) = @_;
    return loaded_run(assemble(map { decode(encode($_)) } @entries));
}

sub load {
    my ($path) = @_;
    check_file($path);
    return of_journal($path) if $path =~ /[.]part\z/;
    return from_json($path, contents($path, 0), 1);
}

sub of_journal {
    my ($path) = @_;
    my @entries = SpawnMeter::Store::Journal::entries($path)
        or die "$path: nothing was measured before it was torn off\n";
    return checked($path, assemble(@entries), 1);
}

sub load_all {
    my ($path, $tests, %how) = @_;
    return { runs => [ load($path) ], unread => [] } if $path =~ /[.]part\z/;
    check_file($path) if $path ne q{-};
    my $text = contents($path, $path eq q{-});
    return { runs => [ from_json($path, $text, $how{thorough}) ], unread => [] }
        if $text =~ /\A\s*[{\[]/;
    die "$path: it is larger than any report\n" if length $text > TEXT_MAX;
    my $found = import_reports($text, $tests);
    if (!@{ $found->{runs} }) {
        my ($line) = @{ $found->{unread} };
        die "$path: no run and no report in it"
            . ($line ? "; line $line->{line} is the first that looks like one: $line->{why}" : q{})
            . "\n";
    }
    $_->{source} = $path eq q{-} ? 'standard input' : $path for @{ $found->{runs} };
    return $found;
}

sub check_file {
    my ($path) = @_;
    die "$path: it is a folder, not a file\n" if -d $path;
    die "$path: $!\n" if !-e $path;

# a shell's <(command), or standard input under its name; no other pipe, as it may never be written to
    return if -p _ && $path =~ m{^/(?:dev|proc/self)/(?:stdin|fd/\d+)\z};
    die "$path: it is no regular file (./Run show - reads standard input)\n" if !-f _;
    die "$path: it is larger than any run file\n" if -s _ > SIZE_MAX;
    return;
}

sub contents {
    my ($path, $standard_input) = @_;
    my $in = \*STDIN;
    if   ($standard_input) { binmode $in }
    else                   { open $in, '<:raw', $path or die "$path: $!\n" }
    my ($text, $got) = (q{});
    1 while ($got = read $in, $text, 1_048_576, length $text) && length $text <= SIZE_MAX;
    die "$path: $!\n" if !defined $got;
    die "$path: it is larger than any run file\n" if length $text > SIZE_MAX;
    return $text;
}

sub from_json {
    my ($path, $text, $thorough) = @_;
    my $run = eval { decode($text) } or die "$path: it is no whole JSON file: " . reason($@);
    return checked($path, $run, $thorough);
}

sub checked {
    my ($path, $run, $thorough) = @_;
    my $problem = malformed($run, $thorough);
    die "$path: $problem\n" if defined $problem;
    return loaded_run($run);
}

sub reason {
    my ($error) = @_;
    $error =~ s/ at \S+ line \d+[.]?\s*\z//;
    $error =~ s/[^\x20-\x7e]/?/g;
    return substr($error, 0, 200) . "\n";
}

# What keeps this from being a run, or undef
sub malformed {
    my ($run, $thorough) = @_;
    return 'it is no run file of this suite'
        if ref $run ne 'HASH' || ($run->{format} || q{}) ne FORMAT;
    return 'it has no schema version' if ($run->{schema} || q{}) !~ /^\d{1,6}$/;
    return "it has schema version $run->{schema}, and this suite reads up to " . SCHEMA
        if $run->{schema} > SCHEMA;
    return problem_of_run($run, $thorough);
}

1;
