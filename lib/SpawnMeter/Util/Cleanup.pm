package SpawnMeter::Util::Cleanup;

# A process that outlives Run for a moment: when Run is gone, however that came
# (SIGKILL, too), it ends the process groups that Run had started and not reaped,
# and those who left their group but still carry Run's mark in their environment,
# and removes what Run had not finished writing.
#
#   begin(): starts it, once; before that the calls below do nothing
#   begun(): the calling process, a child of Run's, leads a group of its own; to be called
#       before it execs, since only then the guard knows of it in time, whatever becomes of Run
#   started(pid): likewise, called by Run, for a guard that replaces a killed one
#   check(): replaces a guard that was killed; the next call that has something to report to
#       it does so, too
#   ungroup(pid): Run has reaped it
#   marked(): the calling process, a child of Run's, and those that it will create, carry
#       the mark from its exec on
#   end_strays(): ends those that carry it and are in none of Run's groups: TERM, KILL
#       after 0.7 s; to be called when no copy runs.  Does nothing where there is no /proc.
#       Where Run is the first process of a container, and orphans are its children, it
#       reaps them
#   file(path), keep(path): a file, or a folder with all that is in it, to remove; no more
#   temporary(folder) -> File::Temp::Dir of one's own in it, which is removed with Run; where
#       both Run and the guard were killed, by the next Run (SpawnMeter::Util::TemporaryFolder)
#   finish(): Run ends; comes back when the guard has ended.  Does its work where the guard
#       was killed or does not end in time
#
# Run tells it everything over a pipe, whose end is the news of Run's own.

use strict;
use warnings;
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use POSIX ();
use SpawnMeter::Util::TemporaryFolder;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

use constant {
    GRACE    => 0.7,                 # seconds from TERM to KILL
    PATIENCE => 5,                   # seconds in which those that had a KILL must be gone
    FAREWELL => 10,                  # seconds in which the guard must have ended after Run
    TICK     => 0.01,
    RETRIES  => 10,
    MARK     => 'SPAWNMETER_RUN',    # the token's name in the environment
};

my ($pipe, $pid, $owner, @shared);

# What is to be ended and removed when Run is gone.  The guard is told message by message;
# one that replaces it begins with this.
my %left;

# of this Run, in the names of its temporary folders
my $token = join q{}, map { ('a' .. 'z', 0 .. 9)[ rand 36 ] } 1 .. 8;
my %open_prefix;

sub begin {
    my (@handles) = @_;    # that the guard is to hold as long as it lives
    return if defined $owner && $owner == $$;
    @shared = map { fileno $_ } @handles;
    %left = (groups => {}, files => {}, prefixes => {});
    start_guard() or die "cannot start a process: $!\n";
    ($owner, %open_prefix) = ($$);
    return;
}

sub start_guard {
    pipe my $read, my $write or return 0;
    my $child = fork;
    return 0 if !defined $child;
    if ($child == 0) {
        become_guard($read);
        POSIX::_exit(0);
    }
    close $read;

    # a guard that is stopped must not stop Run
    fcntl $write, F_SETFL, fcntl($write, F_GETFL, 0) | O_NONBLOCK;
    ($pipe, $pid) = ($write, $child);
    return 1;
}

# Where no process can be started now, the next call tries again
sub check {
    return if !defined $owner || $owner != $$;
    local ($?, $!) = (0, 0);
    start_guard() if waitpid($pid, POSIX::WNOHANG()) != 0;
    return;
}

sub started {
    my ($group) = @_;
    $left{groups}{$group} = undef if defined $owner && $owner == $$;
    return;
}

sub ungroup { my ($group) = @_; return inform("-$group") }
sub file    { my ($path) = @_;  return inform("f$path") }
sub keep    { my ($path) = @_;  return inform("k$path") }

# The guard sees Run's end only when this process, too, has let go of the pipe by exec.
# Where the guard was killed, Run tells the next one.
sub begun {
    return if !defined $owner;
    syswrite $pipe, "+$$\0";
    return;
}

sub inform {
    my ($what) = @_;
    return if !defined $owner || $owner != $$;
    note(\%left, $what =~ /\A(.)(.*)\z/s);
    local $SIG{PIPE} = 'IGNORE';
    my $told = syswrite $pipe, "$what\0";
    check() if !defined $told && $!{EPIPE};
    return;
}

sub marked {
    $ENV{ +MARK } = $token if defined $owner;
    return;
}

sub end_strays {
    return if !defined $owner || $owner != $$;
    end_all(sub { return strays() });
    if ($$ == 1) { 1 while waitpid(-1, POSIX::WNOHANG()) > 0 }
    return;
}

# The numbers of those that carry the mark.  This process and the guard do not: what
# counts is the environment that a process began with.
sub strays {
    my @found;
    for my $path (glob '/proc/[0-9]*/environ') {
        open my $in, '<', $path or next;
        my $got = sysread $in, my $environment, 4_194_304;
        close $in;
        push @found, (split m{/}, $path)[2]
            if $got && $environment =~ /(?:\A|\0)${\MARK}=$token(?:\0|\z)/;
    }
    return @found;
}

# TERM to all that the sub finds (process numbers, or negative ones of groups), and KILL
# to who is still there after a grace; comes back when nobody is
sub end_all {
    my ($find) = @_;
    my @there = $find->() or return;
    kill 'TERM', @there;
    kill 'CONT', @there;            # what is stopped has the TERM before it goes on
    my $begun = clock_gettime(CLOCK_MONOTONIC);
    while (@there = $find->()) {    # whoever they created in between, too
        my $waited = clock_gettime(CLOCK_MONOTONIC) - $begun;
        last if $waited > GRACE + PATIENCE;
        kill 'KILL', @there if $waited > GRACE;
        Time::HiRes::sleep(TICK);
    }
    return;
}

# Of these groups those in which somebody lives: Run, which may be waiting for the guard,
# reaps nobody, and of a zombie nothing can be ended.  Where that cannot be told, all.
sub living {
    my (@groups) = @_;
    return @groups if !@groups || !-e '/proc/self/stat';
    my %in;
    for my $process (map { (split m{/})[2] } glob '/proc/[0-9]*/stat') {
        my ($state, undef, $group) = after_name($process);
        $in{$group} = 1 if defined $group && $state !~ /[ZX]/;
    }
    return grep { $in{$_} } @groups;
}

# What /proc/PROCESS/stat has after the name, which can be anything: state, parent,
# group ...; nothing where the process is no more
sub after_name {
    my ($process) = @_;
    open my $in, '<', "/proc/$process/stat" or return;
    my $got = sysread $in, my $line, 4096;
    close $in;
    return $got && $line =~ /.*\) (.*)/s ? split q{ }, $1 : ();
}

sub temporary {
    my ($folder) = @_;
    my $prefix = "$folder/spawnmeter-$token-";
    inform("p$prefix") if !$open_prefix{$prefix}++;    # before it is there
    return SpawnMeter::Util::TemporaryFolder::create($folder, "spawnmeter-$token");
}

sub finish {
    return if !defined $owner || $owner != $$;
    check();
    close $pipe;
    undef $owner;
    SpawnMeter::Util::TemporaryFolder::unlock();
    my $status = $?;                                   # that of Run, where this is its end
    if (!guard_has_ended()) {
        find_births();
        clean_up(\%left);
    }
    $? = $status;
    return;
}

# True where it has done its work.  One that was stopped goes on; one that is stopped again,
# or does not come to its end, is killed.
sub guard_has_ended {
    kill 'CONT', $pid;
    my $deadline = clock_gettime(CLOCK_MONOTONIC) + FAREWELL;
    my $got;
    while (($got = waitpid $pid, POSIX::WNOHANG()) == 0) {
        if (clock_gettime(CLOCK_MONOTONIC) > $deadline) {
            kill 'KILL', $pid;
            return 0;
        }
        Time::HiRes::sleep(TICK / 5);
    }
    return $got == $pid && $? == 0;
}

END { finish() }

# ---- in the guard ---------------------------------------------------------------

sub become_guard {
    my ($read) = @_;
    POSIX::setsid();    # no signal of the terminal, nor one for Run's group
    for my $name (qw(INT TERM HUP QUIT PIPE TSTP USR1 USR2 ALRM VTALRM PROF IO)) {
        $SIG{$name} = 'IGNORE';
    }
    delete @SIG{qw(__DIE__ __WARN__)};
    my %stay = map { $_ => 1 } fileno $read, @shared;

    # it holds nobody's output open, and no copy's gate
    my @open = map { m{/(\d+)\z} ? $1 : () } glob '/proc/self/fd/*';
    for my $fd (grep { !$stay{$_} } @open ? @open : (0 .. 255)) {
        POSIX::close($fd);
    }
    for my $fd (0 .. 2) {
        my $got = $stay{$fd} ? undef : POSIX::open('/dev/null', POSIX::O_RDWR());
        last if defined $got && $got > 2;
    }
    chdir q{/};
    clean_up(listen_to($read));
    return;
}

# Until Run is gone; -> what is left then
sub listen_to {
    my ($read) = @_;
    find_births();
    my $text = q{};
    while (1) {
        my $got = sysread $read, $text, 65_536, length $text;
        next if !defined $got && $!{EINTR};
        last if !$got;
        while ($text =~ s/\A(.)([^\0]*)\0//s) { note(\%left, $1, $2) }
    }
    return \%left;
}

sub note {
    my ($left, $kind, $what) = @_;
    if    ($kind eq '+') { $left->{groups}{$what} = born($what) }
    elsif ($kind eq '-') { delete $left->{groups}{$what} }
    elsif ($kind eq 'f') { $left->{files}{$what} = 1 }
    elsif ($kind eq 'k') { delete $left->{files}{$what} }
    elsif ($kind eq 'p') { $left->{prefixes}{$what} = 1 }
    return;
}

# When a process began, in ticks since boot; q{} where it is no more, undef where
# that cannot be told
sub born {
    my ($process) = @_;
    return if !-e '/proc/self/stat';
    my $ticks = (after_name($process))[19];
    return defined $ticks ? $ticks : q{};
}

# Of the groups that Run has not reaped yet, and whose numbers are therefore its own
sub find_births {
    $left{groups}{$_} = born($_) for keys %{ $left{groups} };
    return;
}

# The number can belong to somebody else by now: then its process began at another time
sub still_ours {
    my ($process, $then) = @_;
    my $now = born($process);
    return 1
        if !defined $now || $now eq q{};   # its leader is gone, and so the number is not given anew
    return defined $then && $now eq $then;
}

sub clean_up {
    my ($left) = @_;
    my @groups = grep { /^\d+\z/ && $_ > 1 && still_ours($_, $left->{groups}{$_}) }
        keys %{ $left->{groups} };
    end_all(sub {
        @groups = grep { kill 0, -$_ } @groups;    # once gone, the number can be somebody else's
        return ((map { -$_ } living(@groups)), strays());
    });

    # and whoever was created by somebody who ended while one looked
    kill 'KILL', map { -$_ } grep { kill 0, -$_ } @groups;
    local $SIG{__WARN__} = sub { };
    my @paths = keys %{ $left->{files} };
    for my $prefix (keys %{ $left->{prefixes} }) {
        my ($folder, $name) = $prefix =~ m{^(.*)/([^/]*)\z}s or next;
        opendir my $in, $folder                              or next;
        push @paths, map { "$folder/$_" } grep { index($_, $name) == 0 } readdir $in;
        closedir $in;
    }

    # again, where something has come in between
    for (1 .. RETRIES) {
        for my $path (grep { -e || -l } @paths) {
            if   (-d $path && !-l $path) { SpawnMeter::Util::TemporaryFolder::remove($path) }
            else                         { unlink $path }
        }
        last if !grep { -e || -l } @paths;
        Time::HiRes::sleep(5 * TICK);
    }
    return;
}

1;
