package SpawnBench::Store;

# The only reader and writer of run files.
#
#   names(folder, host, date) -> the first free name HOST-YYYY-MM-DD-NN
#   open_results(folder, name or undef, host) -> { folder, name, log, journal },
#       made before anything is measured; dies if they cannot be
#   finish(results, run): writes NAME.json by renaming and removes the journal
#   load(path) -> run (of NAME.json or of a journal NAME.part, as an incomplete
#       run); dies with the file and what is wrong with it
#   assemble(entries of a journal) -> run
#
# A run: { format => 'spawnbench-run', version => 1, suite, name, command,
#   protocol, options, system, build, tests, blocks => [ { copies, started, ended } ],
#   passes => [...], complete, reason }

use strict;
use warnings;
use Fcntl qw(O_WRONLY O_CREAT O_EXCL);
use File::Path ();
use POSIX ();
use SpawnBench::Journal;
use SpawnBench::Json qw(decode encode);

use constant {
    FORMAT   => 'spawnbench-run',
    VERSION  => 1,
    SIZE_MAX => 256 * 1024 * 1024,
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
        die "UB_OUTPUT_FILE_NAME: '$name' must be a name without a slash\n" if $name !~ m{^[^/\0]+$} || $name =~ /^[.]{1,2}$/;
        unlink map { "$folder/$name$_" } q{}, qw(.log .csv .json .html .part);
        my $log = create("$folder/$name.log") or die cannot($folder, $!);
        return results($folder, $name, $log);
    }
    my $base = host_name($host) . POSIX::strftime('-%Y-%m-%d-', localtime);
    for my $number (1 .. 9999) {
        my $try = $base . sprintf '%02d', $number;
        next if grep { -e "$folder/$try$_" } q{}, '.json', '.part';
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
    my $journal = SpawnBench::Journal->create("$folder/$name.part");
    return { folder => $folder, name => $name, path => "$folder/$name", log => $log, journal => $journal };
}

# Writes a whole file beside its place, and renames it there
sub write_file {
    my ($path, $text) = @_;
    my $new = "$path.new";
    unlink $new;
    my $out = create($new) or die "cannot write $path: $!\n";
    my $good = print {$out} $text;
    $good = close($out) && $good;
    return 1 if $good && rename $new, $path;
    my $why = $!;
    unlink $new;
    die "cannot write $path: $why\n";
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
        my ($kind, $data) = @{$entry};
        if    ($kind eq 'run')   { %run = (%run, %{$data}) }
        elsif ($kind eq 'pass')  { push @{ $run{passes} }, $data }
        elsif ($kind eq 'block') { push @{ $run{blocks} }, $data }
        elsif ($kind eq 'ended') { $run{blocks}[-1]{ended} = $data if @{ $run{blocks} } }
        elsif ($kind eq 'end')   { %run = (%run, %{$data}) }
    }
    return \%run;
}

sub load {
    my ($path) = @_;
    die "$path: it is a folder, not a file\n" if -d $path;
    die "$path: $!\n" if !-e $path;
    die "$path: it is no regular file\n" if !-f _;
    die "$path: it is larger than any run file\n" if -s _ > SIZE_MAX;
    my $run;
    if ($path =~ /[.]part\z/) {
        $run = assemble(SpawnBench::Journal::entries($path));
    } else {
        open my $in, '<:raw', $path or die "$path: $!\n";
        local $/ = undef;
        my $text = <$in>;
        close $in or die "$path: $!\n";
        $run = eval { decode($text) } or die "$path: it is no whole JSON file: " . reason($@);
    }
    my $problem = malformed($run);
    die "$path: $problem\n" if defined $problem;
    return $run;
}

sub reason {
    my ($error) = @_;
    $error =~ s/ at \S+ line \d+[.]?\s*\z//;
    $error =~ s/[^\x20-\x7e]/?/g;
    return substr($error, 0, 200) . "\n";
}

# What keeps this from being a run, or undef
sub malformed {
    my ($run) = @_;
    return 'it is no run file of this suite' if ref $run ne 'HASH' || ($run->{format} || q{}) ne FORMAT;
    return 'it has no version' if ($run->{version} || q{}) !~ /^\d{1,6}$/;
    return "it has version $run->{version}, and this suite reads up to " . VERSION if $run->{version} > VERSION;
    for my $list (qw(passes tests blocks)) {
        return "its $list are no list of objects" if ref $run->{$list} ne 'ARRAY' || grep { ref ne 'HASH' } @{ $run->{$list} };
    }
    for my $pass (@{ $run->{passes} }) {
        return 'a pass has no test or copies' if !defined $pass->{test} || ($pass->{copies} || q{}) !~ /^\d{1,6}$/;
        next if ($pass->{status} || q{}) ne 'ok';
        return 'a pass has no rate' if !defined $pass->{rate} || $pass->{rate} !~ /^[\d.]+(?:e[+-]?\d+)?$/i;
    }
    return;
}

1;
