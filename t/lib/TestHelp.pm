package TestHelp;

# What the tests share: the suite's root, running a command without a shell,
# skipping aloud.

use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use File::Basename ();
use File::Temp     ();
use Test::More     ();

our @EXPORT = qw($ROOT command needs tool scratch slurp_file spew);

our $ROOT = Cwd::abs_path(File::Basename::dirname(__FILE__) . '/../..');

# command({ env => {}, stdin => path, before => sub in the child }, program, arguments) ->
#   { status => exit status or 128 + signal, out, err }
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

        # whoever runs the tests in the background has INT ignored
        $SIG{$_} = 'DEFAULT' for qw(INT HUP QUIT TERM PIPE CHLD);
        $with->{before}->() if $with->{before};
        exec { $line[0] } @line or die "exec $line[0]: $!";
    }
    $with->{meanwhile}->($pid) if $with->{meanwhile};
    waitpid $pid, 0;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return { status => $status, out => slurp_file("$out"), err => slurp_file("$err") };
}

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

sub scratch { return File::Temp->newdir('sb test XXXXXX', TMPDIR => 1) }

sub tool {
    my ($name) = @_;
    for my $folder (split /:/, $ENV{PATH}) {
        return "$folder/$name" if -x "$folder/$name" && !-d _;
    }
    return;
}

# Where a tool is missing the test is skipped aloud; with CI=true that is a failure.
# Returns true if the test can go on.
sub needs {
    my ($count, @tools) = @_;
    my @missing = grep { !tool($_) } @tools;
    return 1 if !@missing;
    if (($ENV{CI} || q{}) eq 'true') {
        Test::More::fail("CI lacks @missing");
    } else {
        Test::More::diag("SKIPPED: not installed: @missing");
    }
    return 0;
}

1;
