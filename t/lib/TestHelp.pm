# SPDX-License-Identifier: GPL-2.0-or-later
package TestHelp;

# What all checks share: a file of checks that uses it has strict, warnings and Test::More, too,
# and is ended when it hangs (TimeLimit).
#
#   $ROOT: the suite's folder
#   command({ env => { variables; undef: unset }, stdin => path, folder => working folder,
#       before => sub in the child, meanwhile => sub (pid) }, program, arguments) ->
#       { status, out, err }; no shell is involved
#   patiently(seconds, what command() takes) -> likewise, of a tool of others: where it hangs for
#       so long, or crashes, it is started again, three times in all
#   says(what command() returned, pattern, what it is about, status = 2): checks the exit status
#       and the message on standard error
#   wait_until(sub) -> whether it became true within a minute
#   exit_status(wait status) -> exit status, or 128 + number of the signal
#   slurp_file(path) -> its bytes, or undef
#   spew(path, text) -> path
#   executable(path, text) -> path of a program: for sh, where the text does not begin with #!
#   copy_suite(folder, parts): copies these parts of the suite, with their times; of build/ what
#       make has built the programs from, not what other stages keep there (gigabytes)
#   root_of(path => text, ...) -> folder with these files, such as proc/stat of a made-up machine
#   scratch() -> folder with a blank in its name, removed when the object goes
#   cached(name) -> path of what .ci/run keeps for all trees under that name
#   tool(name) -> path of a program in PATH, or undef
#   needs(number of checks, tools) -> true where all are installed; otherwise that number of
#       checks is skipped with the reason, or, with CI=true, one check fails
#   lacks(reason, number of checks = 0) -> 0, and the same with a reason of the caller's
#
# No make or Run that a check starts is part of the make that started the check, or is told by
# variables of the user's what to do.  perl does not complain of a locale that is not installed.

use strict;
use warnings;
use Cwd ();
use parent 'Exporter';
use File::Basename ();
use File::Path     ();
use File::Temp     ();
use Test::More     ();
use TimeLimit      ();

# Far longer than any file takes on a busy machine; those of make check-long have none
use constant HANGS => 1500;    # s

TimeLimit::begin(HANGS) if !$ENV{LONG};

our @EXPORT =
    qw($ROOT cached command copy_suite executable exit_status lacks needs patiently root_of says
    tool scratch slurp_file spew wait_until);

sub import {
    my ($class, @names) = @_;
    my ($package, $file) = caller;
    if ($file =~ /[.]t\z/) {
        strict->import;
        warnings->import;
        Test::More->builder->exported_to($package);
        Test::More->export_to_level(1, 'Test::More');
    }
    return $class->export_to_level(1, $class, @names);
}

delete @ENV{ qw(MAKEFLAGS MAKELEVEL MFLAGS), grep { /^UB_(?!BINDIR|GCC_)/ } keys %ENV };
$ENV{PERL_BADLANG} = 0;

our $ROOT = Cwd::abs_path(File::Basename::dirname(__FILE__) . '/../..');

sub command {
    my ($with, @line) = @_;
    my ($out, $err) = map { File::Temp->new } 1 .. 2;
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        open STDIN, '<', $with->{stdin} || '/dev/null' or die;
        open STDOUT, '>&', $out                        or die;
        open STDERR, '>&', $err                        or die;
        local %ENV = (%ENV, TERM => 'dumb', %{ $with->{env} || {} });
        defined $with->{env}{$_} or delete $ENV{$_} for keys %{ $with->{env} || {} };
        chdir $with->{folder} if $with->{folder};

        # a shell's background job ignores SIGINT
        $SIG{$_} = 'DEFAULT' for qw(INT HUP QUIT TERM PIPE CHLD);
        $with->{before}->() if $with->{before};
        exec { $line[0] } @line or die "exec $line[0]: $!";
    }
    $with->{meanwhile}->($pid) if $with->{meanwhile};
    waitpid $pid, 0;
    return { status => exit_status($?), out => slurp_file("$out"), err => slurp_file("$err") };
}

# timeout ends with 124, or 137 where it had to kill; a crash with 128 + its signal
sub patiently {
    my ($seconds, $with, @line) = @_;
    my $got;
    for (1 .. 3) {
        $got = command($with, 'timeout', '-k', 5, $seconds, @line);
        last if $got->{status} < 124;
    }
    return $got;
}

sub copy_suite {
    my ($to, @parts) = @_;
    my @whole = map { "$ROOT/$_" } grep { $_ ne 'build' } @parts;
    system('cp', '-Rp', '--', @whole, $to) == 0 or die 'cp failed';
    return if @whole == @parts;
    mkdir "$to/build" or die "$to/build: $!";
    my @built = grep { !-d || m{/(?:dynamic|static|new)\z} } glob "\Q$ROOT\E/build/*";
    system('cp', '-Rp', '--', @built, "$to/build") == 0 or die 'cp failed';
    return;
}

sub says {
    my ($got, $message, $about, $status) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::is($got->{status}, defined $status ? $status : 2, "$about: the status");
    my $said = defined $got->{err_text} ? $got->{err_text} : $got->{err};
    return Test::More::like($said, $message, "$about: the message");
}

# Waits until the sub returns true, a minute at most: under load things begin late
sub wait_until {
    my ($true) = @_;
    for (1 .. 3000) { return 1 if $true->(); select undef, undef, undef, 0.02 }
    return 0;
}

sub exit_status { my ($wait) = @_; return $wait & 127 ? 128 + ($wait & 127) : $wait >> 8 }

sub slurp_file {
    my ($path) = @_;
    open my $in, '<:raw', $path or return;
    local $/ = undef;
    return scalar <$in>;
}

sub spew {
    my ($path, $text) = @_;
    open my $out, '>:raw', $path or die "$path: $!";
    print {$out} $text;
    close $out or die "$path: $!";
    return $path;
}

sub executable {
    my ($path, $text) = @_;
    spew($path, $text =~ /\A#!/ ? $text : "#!/bin/sh\n$text");
    chmod oct 755, $path or die "$path: $!";
    return $path;
}

sub root_of {
    my (%files) = @_;
    my $root = scratch();
    for my $path (keys %files) {
        File::Path::make_path("$root/$path" =~ m{^(.*)/});
        spew("$root/$path", $files{$path});
    }
    return $root;
}

sub scratch { return File::Temp->newdir('sm test XXXXXX', TMPDIR => 1) }

sub cached {
    my ($name) = @_;
    my $folder = $ENV{XDG_CACHE_HOME} || ($ENV{HOME} || q{}) . '/.cache';
    return "$folder/spawnmeter-checks/$name";
}

sub tool {
    my ($name) = @_;
    for my $folder (split /:/, $ENV{PATH}) {
        return "$folder/$name" if -x "$folder/$name" && !-d _;
    }
    return;
}

# The caller may stand in no SKIP block, which Test::More::skip would leave.  prove shows
# the reason of no skipped check, hence the diagnosis.
sub needs {
    my ($checks, @tools) = @_;
    my @missing = grep { !tool($_) } @tools;
    return 1 if !@missing;
    return lacks("not installed: @missing", $checks);
}

sub lacks {
    my ($why, $checks) = @_;
    if (($ENV{CI} || q{}) eq 'true') {
        Test::More::fail("where CI=true there is all: $why");
        return 0;
    }
    Test::More->builder->skip($why) for 1 .. $checks || 0;
    Test::More::diag("skipped: $why");
    return 0;
}

1;
