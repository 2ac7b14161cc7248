# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::ResultFiles;

# The files of a run that is being measured: their names, when they come and when they go.
#
#   open_results(folder, name or undef, host; without these UB_OUTPUT_FILE_NAME and this host) ->
#       results { folder, name, path => folder/name,
#       log => file handle, journal => journal, replaces => true where the user chose
#       the name }: creates NAME.log and NAME.part, before anything is measured.  Without a
#       name the first free one of HOST-YYYY-MM-DD-NN is taken.  Dies with the reason
#   begin(results, run record without passes, name and format): stores what is known, then checks
#   check(results): from now on the files belong to a run, and older ones of a name that the
#       user chose are removed; dies where the journal could not take its first line, and
#       removes the new files
#   forget(results): removes the log and the journal, since nothing was measured
#   finish(results, results of the run for other programs or undef, summary for ./Run list runs):
#       ends the journal and renames it to NAME.json; dies where that is not possible, and the
#       journal then has all passes unless it failed, too.  Where the name is another run's by now,
#       the results get another name and path
#   write_file(path, text as bytes or characters): writes all or nothing; dies with path and reason
#   write_output(path, text): the same where a user chose the path.  A symbolic link stays, and
#       the file that it leads to is written; a device or a pipe is written to

use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use Fcntl                      qw(O_APPEND O_CREAT O_EXCL O_RDWR);
use File::Path                 ();
use POSIX                      ();
use SpawnMeter::Store::RunFile qw(lines_of whole_run FORMAT SCHEMA);
use SpawnMeter::Util::Cleanup  qw(create_locked is_open unlink_own unlink_unused);
use SpawnMeter::Util::File     qw(write_all write_bytes replace_file beside);
use SpawnMeter::Util::Format   qw(bytes);

our @EXPORT_OK = qw(open_results check forget finish write_file);

use constant {
    HOST_MAX    => 64,      # characters of a host's name
    NAME_MAX    => 236,     # bytes: most file systems allow 255, and endings follow
    NUMBERS_MAX => 9999,    # names of a day
};

# While a run is measured, and until it has been
my @WHILE_MEASURED = qw(.log .part);

# All that a run of this name may have left
my @ENDINGS = (q{}, qw(.csv .json .html .svg .png .tidy.csv));

# What is no name of a run: no file's name, or one that stands for another run or one of its files
my $NO_NAME = qr{[/[:cntrl:]]|\A(?:[.]{0,2}\z|-|latest(?:~\d*)?\z)
    |[.](?:json|samples|part|log|html|csv|svg|png|tidy)\z}ix;

sub open_results {
    my ($folder, $name, $host) = @_ > 1 ? @_ : (@_, $ENV{UB_OUTPUT_FILE_NAME}, (POSIX::uname())[1]);
    eval { File::Path::make_path($folder); 1 } or die cannot($folder, $!);
    die cannot($folder, 'not a folder') if !-d $folder;
    return defined $name ? open_named($folder, $name) : open_next($folder, $host);
}

sub cannot {
    my ($folder, $why) = @_;
    return "cannot write results to $folder: $why;"
        . " name another folder with --output or UB_RESULTDIR\n";
}

# Opens the files of a name that the user chose; check() removes older files of this name
sub open_named {
    my ($folder, $name) = @_;
    die "UB_OUTPUT_FILE_NAME: '$name' must be a name of at most @{[ NAME_MAX ]} bytes without a"
        . " slash or a control character; not latest, none that begins with a dash, or ends in"
        . " .json, .part, .log, .html or the like\n"
        if $name =~ $NO_NAME || length $name > NAME_MAX;
    my $path = "$folder/$name";
    unlink_unused("$path.part") or die in_use($path);
    unlink "$path.log";
    my $results = results($folder, $name);
    die $!{EEXIST} ? in_use($path) : cannot($folder, $!) if !$results;
    return { %{$results}, replaces => 1 };
}

sub in_use {
    my ($path) = @_;
    return "UB_OUTPUT_FILE_NAME: another Run is writing $path.part;"
        . " wait until it has ended, or choose another name\n";
}

# Creating the journal reserves the name, so that two runs never have the same
sub open_next {
    my ($folder, $host) = @_;
    $host =~ s/[^A-Za-z0-9._-]/_/g;    # harmless in file names
    $host =~ s/^[.-]+//;
    $host = length $host ? substr($host, 0, HOST_MAX) : 'unknown';
    my $base = $host . POSIX::strftime('-%Y-%m-%d-', localtime);
    for my $number (1 .. NUMBERS_MAX) {
        my $name = $base . sprintf '%02d', $number;
        next if taken("$folder/$name", @WHILE_MEASURED);
        my $results = results($folder, $name);
        return $results if $results;
        die cannot($folder, $!) if !$!{EEXIST};
    }
    die cannot($folder, "all @{[ NUMBERS_MAX ]} names of today are taken");
}

sub taken {
    my ($path, @more) = @_;
    return grep { lstat "$path$_" } @ENDINGS, @more;
}

# Undefined with $! where one of the files cannot be created.  Until check() they are removed
# however Run ends: it can be stopped between a creation and the next statement
sub results {
    my ($folder, $name) = @_;
    my $path = "$folder/$name";
    SpawnMeter::Util::Cleanup::file("$path.part");
    my $journal = create(__PACKAGE__, "$path.part");
    my $error = $! + 0;
    if ($journal) {
        SpawnMeter::Util::Cleanup::file("$path.log");
        my $made = sysopen my $log, "$path.log", O_RDWR | O_CREAT | O_EXCL | O_APPEND;
        my %files = (folder => $folder, name => $name, path => $path, is_link => -l $folder);
        return { %files, log => $log, journal => $journal } if $made;
        $error = $! + 0;
        $journal->remove;
    }
    SpawnMeter::Util::Cleanup::keep("$path$_") for @WHILE_MEASURED;
    $! = $error;
    return;
}

sub begin {
    my ($results, $run) = @_;
    my %run = %{$run};
    my %first = (name => $results->{name}, format => FORMAT, schema => SCHEMA);
    $first{$_} = delete $run{$_} for qw(kind suite host label started);    # it is found by these
    $results->{journal}->append(run => $_) for \%first, \%run;
    return check($results);
}

sub check {
    my ($results) = @_;
    my $why = $results->{journal}->failed;
    if (defined $why) {
        forget($results);
        die cannot($results->{folder}, $why);
    }
    SpawnMeter::Util::Cleanup::keep("$results->{path}$_") for @WHILE_MEASURED;
    unlink map { "$results->{path}$_" } @ENDINGS if $results->{replaces};
    return;
}

sub forget {
    my ($results) = @_;
    $results->{journal}->remove;
    unlink_own("$results->{path}.log", $results->{log});
    return;
}

sub finish {
    my ($results, $of_tests, $summary) = @_;
    my $journal = $results->{journal};
    $journal->append(results => $of_tests) if $of_tests;
    $journal->append(listed  => $summary);
    my $anew;
    my $stored = eval {
        $anew = opened_anew($results);
        close_as_run($anew || $results);
        1;
    };
    if (!$stored) {
        my $why = $@;
        forget($anew) if $anew;
        $journal->retry;
        die $why;
    }
    if ($anew) {
        $journal->remove;
        %{$results} = %{$anew};
    }
    return;
}

sub close_as_run {
    my ($results) = @_;
    my ($journal, $path) = ($results->{journal}, "$results->{path}.json");
    my $why = $journal->failed;
    $why = "$!" if !defined $why && !rename $journal->{path}, $path;
    die "cannot write $path: $why\n" if defined $why;
    close $journal->{out};
    return;
}

# While a run is measured, its folder can be moved, removed or mounted over, or a file of its name
# come into it -> results with all lines under a free name (the log stays), or nothing
sub opened_anew {
    my ($results) = @_;
    my ($folder, $name, $path) = @{$results}{qw(folder name path)};
    my $is_there = is_open("$path.part", $results->{journal}{out});
    return if $is_there && !taken($path);
    die "$folder: it has become a link, which is not followed\n"
        if !$is_there && -l $folder && !$results->{is_link};
    my $anew =
        open_results($folder, taken($path, @WHILE_MEASURED) ? undef : $name, (POSIX::uname())[1]);
    my ($first, @lines) = @{ $results->{journal}{lines} };
    $first =~ s/"name":"\K\Q$name\E(?=")/$anew->{name}/;
    $anew->{journal}->write($first =~ s/\A\[//r, @lines);
    check($anew);
    return $anew;
}

# Writes a file and then renames it, so that no reader sees a part of it
sub write_file {
    my ($path, $text) = @_;
    my $new = beside($path);
    SpawnMeter::Util::Cleanup::file($new);
    my $good = eval { replace_file($path, bytes($text), beside => $new); 1 };
    my $why = $@;
    SpawnMeter::Util::Cleanup::keep($new);
    die "cannot write $why" if !$good;
    return;
}

sub write_output {
    my ($path, $text) = @_;
    return eval { write_bytes($path, bytes($text)); 1 } || die "cannot write $@"
        if -e $path && !-f _;
    my $target = -l $path ? Cwd::realpath($path) : $path;
    return write_file($target // $path, $text);
}

# ---- the journal ----
#
# The run file as it is measured.
#
#   create(class, path) -> journal; undef with $! where the file exists or cannot be created
#   $journal->append(kind, data): writes this entry of Store::RunFile, after all that still waits
#   $journal->retry: writes those
#   $journal->failed -> why lines are still to be written, or it has another name now, or undef
#   $journal->remove: closes and removes the file, if it is still this one
#   $journal->run -> run record of its lines

sub create {
    my ($class, $path) = @_;
    my $out = create_locked($path) or return;
    return bless { out => $out, path => $path, whole => 0, waiting => q{}, lines => [] }, $class;
}

sub append {
    my ($self, @entry) = @_;
    return $self->write(lines_of(@entry));
}

sub write {
    my ($self, @lines) = @_;
    $lines[0] = "[$lines[0]" if !@{ $self->{lines} };
    push @{ $self->{lines} }, @lines;
    $self->{waiting} .= join q{}, @lines;
    return $self->retry;
}

# Of what can only be written in part the whole lines stay: none could be read after a torn one
sub retry {
    my ($self) = @_;
    return if !length $self->{waiting} || $self->{torn} && !$self->cut_back;
    my $written = write_all($self->{out}, $self->{waiting});
    $self->{failed} = $written < length $self->{waiting} ? "$!" : undef;
    my $lines = 1 + rindex substr($self->{waiting}, 0, $written), "\n";
    $self->{whole} += $lines;
    substr $self->{waiting}, 0, $lines, q{};
    $self->cut_back if $written > $lines;
    return;
}

sub cut_back {
    my ($self) = @_;
    $self->{torn} = !truncate $self->{out}, $self->{whole};
    $self->{failed} = "$!" if $self->{torn};
    return !$self->{torn};
}

sub failed {
    my ($self) = @_;
    return $self->{failed} if defined $self->{failed};
    return is_open($self->{path}, $self->{out}) ? undef : 'it was moved or removed';
}

sub remove {
    my ($self) = @_;
    unlink_own($self->{path}, $self->{out});
    close $self->{out};
    return;
}

# The run as a reader of its file gets it: JSON has 15 digits of a number
sub run { my ($self) = @_; return whole_run(@{ $self->{lines} }) }

1;
