# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Sides;

# The two states that ./Run ab compares, from its options.
#
#   sides(options) -> (side A, side B): side records; dies where nothing says what they are, a
#       command that starts the programs does not exist, or a folder of programs is none
#   add_builds([sides], [tests]): of sides with a folder of programs what one of them says of its
#       build; dies where the folder lacks those of a test

use strict;
use warnings;
use Exporter 'import';
use Cwd                          ();
use Errno                        qw(EACCES ENOENT);
use Fcntl                        qw(:mode O_NOFOLLOW O_NONBLOCK O_RDONLY);
use File::Basename               qw(dirname);
use File::Path                   ();
use File::Spec                   ();
use POSIX                        ();
use Text::ParseWords             ();
use SpawnMeter::Analysis::Record qw(record);
use SpawnMeter::Measure::Build;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File    qw(decode encode no_folder replace_file);
use SpawnMeter::Util::Process qw(run_shell);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(sides add_builds path_of pending pending_words undo);

my $NOTHING = <<'END';
ab: needs what B is (or A, by --wrap-a and so on): --wrap-b CMD,
--set-b CMD, --programs-b DIR, or --b '--heap 1G' (options of the programs)
END

sub sides {
    my ($option) = @_;
    my @given = grep { defined $option->{$_} }
        map { ($_, "wrap-$_", "programs-$_", "set-$_") } qw(a b);
    die $NOTHING if !@given;

    # Both sides are measured alike: without a gate several copies have no common window.
    my $gated = grep({ defined $option->{"stop-$_"} } qw(a b)) ? 0 : 1;
    return map { side_of($option, $_, $gated) } qw(a b);
}

sub side_of {
    my ($option, $name, $gated) = @_;
    my $programs = $option->{"programs-$name"};
    die "--programs-$name: $programs: ", no_folder($programs), "\n"
        if defined $programs && !-d $programs;
    $programs = File::Spec->rel2abs($programs) if defined $programs;
    return record(
        side    => name => uc $name,
        wrap    => scalar wrap("--wrap-$name", $option->{"wrap-$name"}),
        options => $option->{$name} || [],
        set     => $option->{"set-$name"},
        stop    => $option->{"stop-$name"},
        gated   => $gated,
        defined $programs ? (programs => $programs) : (),
    );
}

# -> [words], the first one an absolute path; undef without a command
sub wrap {
    my ($name, $command) = @_;
    return if !defined $command;
    my ($program, @arguments) = Text::ParseWords::shellwords($command);
    die "$name: '$command' has no words; check its quotes\n" if !defined $program;
    my $path = $program =~ m{/} ? File::Spec->rel2abs($program) : $program;
    my $found = SpawnMeter::Util::Programs::found($path)
        // die "$name: there is no program '$program' that can be executed\n";
    return [ $found, @arguments ];
}

sub add_builds {
    my ($sides, $tests) = @_;
    my %needed = map { $_->{program} => 1 } grep { !$_->{tree} } @{$tests};
    for my $side (grep { defined $_->{programs} } @{$sides}) {
        my @lacks = grep { !-f "$side->{programs}/$_" || !-x _ } sort keys %needed, 'true-dynamic';
        die '--programs-' . lc($side->{name}), ": $side->{programs} lacks ",
            join(', ', @lacks), '; ',
            "make BINDIR=$side->{programs} builds all (make static those of pgms/static); or name "
            . "tests that both sides have\n"
            if @lacks;
        my ($program) = sort keys %needed;
        $side->{build} = [ SpawnMeter::Measure::Build::facts("$side->{programs}/$program") ];
    }
    return;
}

# ---- the transition between the states that the sides set, and back ----
#
#   new(suite) -> the transition of a run with --set-back
#   enter(side): sets its state where it is not set; dies where its command fails.  A side
#       without a command has the state that was set back
#   leave() -> undef, or why the machine is not set back
#   pending_words(suite) -> what is pending on this machine, or undef
#   path_of(suite) -> the file of what is pending on this machine, by its name: the folder can be
#       that of several
#   pending(path) -> { command, folder, by => command line of Run }, or undef where nothing is
#       pending.  Dies where the file cannot be read, is not a regular file of this user's own, or
#       can be written by others
#   store(path, the same): writes it, synced, for this user alone; dies where that fails
#   undo(path, what was stored, where the caller knows it: the file can be gone, or another one)
#       -> undef where the command succeeded, and the file is gone; else why it did not
#
# The command that sets the machine back stands on the disk, synced, before the first command of a
# side runs; the cleaner (SpawnMeter::Util::Cleanup) runs it if Run cannot.

use constant SIZE_MAX => 1_048_576;    # bytes of the file; a command line is shorter

SpawnMeter::Util::Cleanup::undo_by(\&undo);

sub path_of {
    my ($suite) = @_;
    return "$suite->{state}/set-back-" . ((POSIX::uname())[1] =~ s/[^A-Za-z0-9._-]/_/gr);
}

sub pending_words {
    my ($suite) = @_;
    my $pending = pending(path_of($suite)) or return;
    return
          'this machine is in another state (a Run measures, was killed, or could not set it back),'
        . " and '$pending->{command}' sets it back";
}

sub new {
    my ($class, $suite) = @_;
    my %back = (command => $suite->{option}{'set-back'}, by => $suite->{command});
    return bless { path => path_of($suite), back => { %back, folder => Cwd::getcwd() } }, $class;
}

sub enter {
    my ($self, $side) = @_;
    return if defined $self->{now} && $self->{now} eq $side->{name};
    $self->{now} = $side->{name};
    if (!$self->{begun}) {
        return if !defined $side->{set};                   # nothing was changed yet
        SpawnMeter::Util::Cleanup::undo($self->{path});    # first: without the file it does nothing
        store($self->{path}, $self->{back});
        $self->{begun} = 1;
    }
    my $command = $side->{set} // $self->{back}{command};
    my $why = run_shell({ %{ $self->{back} }, command => $command, stopped => $self->{stopped} });
    return if !defined $why || $self->{stopped}->();
    my $option = defined $side->{set} ? '--set-' . lc $side->{name} : '--set-back';
    die "$option '$command': $why\n";
}

sub leave {
    my ($self) = @_;
    return if !$self->{begun};
    my $why = undo($self->{path}, $self->{back});

    # The cleaner need not try a command again that failed; ./Run ab --set-back-now does, when its
    # cause is repaired.
    SpawnMeter::Util::Cleanup::undone($self->{path});
    return if !defined $why;
    return "--set-back '$self->{back}{command}': $why; this machine is NOT set back: repair the"
        . ' cause, then ./Run ab --set-back-now';
}

# Checks the file that is open, since somebody can exchange the file of a path
sub pending {
    my ($path) = @_;
    my $opened = sysopen my $in, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
    return if !$opened && $! == ENOENT;
    my ($mode, $owner) = $opened ? (stat $in)[ 2, 4 ] : (0, $! == EACCES ? -1 : $>);
    die "$path: another user's file, or one that others can write to, so its command is not run;"
        . " its owner reads it, then runs chmod go-w and again ./Run ab --set-back-now\n"
        if $owner != $> || S_ISREG($mode) && $mode & (S_IWGRP | S_IWOTH);
    my $text = q{};
    read $in, $text, SIZE_MAX if S_ISREG($mode);
    my $stored = eval { decode($text) };
    die "$path: cannot be read; remove it when this machine is set back\n"
        if ref $stored ne 'HASH' || grep { !defined || ref } @{$stored}{qw(command folder)};
    return $stored;
}

# What somebody has put in the place of the new file is not followed or written to
sub store {
    my ($path, $what) = @_;
    File::Path::make_path(dirname($path), { error => \my $ignored });
    eval { replace_file($path, encode($what) . "\n", mode => oct 600, sync => 1); 1 }
        or die 'cannot write ', $@ =~ s/\n\z//r, "; nothing was changed\n";
    return;
}

sub undo {
    my ($path, $what) = @_;
    $what ||= eval { pending($path) };
    return length $@ ? $@ =~ s/\n\z//r : undef if !$what;
    my $why = run_shell({ map { $_ => $what->{$_} } qw(command folder) });
    return $why if defined $why;
    return if unlink($path) || $! == ENOENT;
    return "cannot remove $path: $!";
}

1;
