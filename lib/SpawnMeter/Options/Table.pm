# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options::Table;

# The only table of options.
#
#   names() -> the long names of all options
#   option(name) -> { form => of Getopt::Long, for_programs => true where it is passed on to the
#       test programs, sided => true where options for the programs of one side follow it }
#   for_programs() -> names of those that are passed on
#   check_value(name, value): dies where the option does not take this value
#   is_placement(text) -> true where --pin takes it

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(names option for_programs check_value is_placement);

my $NUMBER = qr/^\d{1,9}$/;
my $COUNT = qr/^[1-9]\d{0,14}$/;
my $SIZE = qr/^\d{1,15}(?:[.]\d+)?[kKmMgG]?$/;
my $SECONDS = qr/^(?=[\d.]*[1-9])\d{0,6}(?:[.]\d{1,6})?$/;

# Scripts find the scores of a report by that word
my $LABEL = qr/^(?!.*Score)[^[:cntrl:]]{1,80}\z/;
my $A_LABEL = 'one line of at most 80 characters without the word "Score"';

# How --pin assigns copies to CPUs; without a value it is usable
my $CPU_LIST = qr/\d{1,5}(?:-\d{1,5})?/;
my $PLACEMENT =
    qr/^(?:usable|cores|threads|packages|performance|middle|efficiency|$CPU_LIST(?:,$CPU_LIST)*)\z/;

# Below this perl writes numbers as 9e-05, which the test programs do not read
use constant SLICE_MIN => 0.0001;

# A turn holds some creations of each test
use constant TURN_MIN => 0.001;

my %A_COUNT = (check => $COUNT, must_be => 'a whole number above 0');
my %A_NUMBER = (check => $NUMBER, must_be => 'a whole number');
my %A_PERCENTAGE =
    (check => \&is_percentage, must_be => 'a percentage above 0 and below 100, like 3%');
my %A_SIZE = (check => $SIZE, must_be => 'a size: digits, then k, M, G or nothing');
my %SOME_SECONDS = (check => $SECONDS, must_be => 'a number of seconds above 0');

# The parts of the test launch (src/launch.c)
my %INGREDIENT =
    map { $_ => 1 } qw(pipes actions closefrom chdir signals pgroup path pidfd all none);
my $INGREDIENTS = 'a list of ' . join(q{, }, sort keys %INGREDIENT) . ' and output=SIZE';

# What the test clone3 can give its child (src/clone3.c)
my %NAMESPACE = map { $_ => 1 } qw(user pid net ipc uts mnt cgroup time all);
my $NAMESPACES = 'a list of ' . join q{, }, sort keys %NAMESPACE;

# check: pattern or sub, of each value; must_be: what the check demands
my %PASSED = (for_programs => 1);
my %A_COMMAND = (check => qr/\S/, must_be => 'a command');
my %OPTION = (
    a         => { sided => 1 },
    again     => { form  => 'again' },
    anonymous => { form  => 'anonymous' },
    ascii     => { form  => 'ascii' },
    b         => { sided => 1 },
    baseline  => { form  => 'baseline=s', check => qr/./, must_be => 'a name or a file' },
    brief     => { form  => 'b|brief' },
    burst     => { form  => 'burst=s', %A_COUNT, %PASSED },
    by        => {
        form    => 'by=s',
        check   => qr/^(?:posix_spawn|vfork|fork|execve|execveat|fexecve)$/,
        must_be => 'posix_spawn, vfork or fork, or for exec tests execve, execveat or fexecve',
        %PASSED
    },
    'cgroup-procs' => {
        form    => 'cgroup-procs=s',
        check   => qr/^[\w.=-]+(?:[,+][\w.=-]+)*\z/,
        must_be => 'a list of v2, v1, controllers of version 1, and none',
        %PASSED
    },
    classic => { form => 'classic' },
    color   => {
        form    => 'color=s',
        check   => qr/^(?:auto|always|never)\z/,
        must_be => 'auto, always or never'
    },
    'clear-sighand' => { form => 'clear-sighand', %PASSED },
    'classic-tree'  => { form => 'classic-tree=s', check => qr/./, must_be => 'a folder' },
    copies          => {
        form    => 'c|copies=s@',
        check   => \&are_copies,
        must_be =>
            'a whole number from 1 to 99999, a range like 1-8, cpus, half, or a list of these'
    },
    count       => { form => 'count=s', %A_COUNT, %PASSED },
    csv         => { form => 'csv' },
    dontfork    => { form => 'dontfork', %PASSED },
    environment => { form => 'environment=s', %A_SIZE, %PASSED },
    exec        => { form => 'exec=s', check => qr/./, must_be => 'a path', %PASSED },
    'exec-path' => {
        form    => 'exec-path=s',
        check   => qr/^(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-6])\z/,
        must_be => 'a whole number from 1 to 256',
        %PASSED
    },
    'fail-if-slower' => { form => 'fail-if-slower=s', %A_PERCENTAGE },
    files            => { form => 'files=s', %A_NUMBER, %PASSED },
    heap             => { form => 'heap=s', %A_SIZE, %PASSED },
    help             => { form => 'h|help' },
    html             => { form => 'html' },
    hugepages        => { form => 'hugepages', %PASSED },
    iterations       => {
        form    => 'i|iterations=s',
        check   => qr/^[1-9]\d{0,8}$/,
        must_be => 'a whole number above 0'
    },
    'into-cgroup' => { form => 'into-cgroup', %PASSED },
    json          => { form => 'json' },
    'keep-going'  => { form => 'keep-going' },
    label         => { form => 'label=s', check => $LABEL, must_be => $A_LABEL },
    libraries     => {
        form    => 'libraries=s',
        check   => qr/^(?:\d|[1-5]\d|6[0-4])\z/,
        must_be => 'a whole number from 0 to 64',
        %PASSED
    },
    mappings   => { form => 'mappings=s', %A_NUMBER, %PASSED },
    markdown   => { form => 'markdown' },
    'max-time' => { form => 'max-time=s', %SOME_SECONDS },
    mix        => {
        form    => 'mix=s',
        check   => qr/\A[ +]*[^ +;][^;]*(?:;[ +]*[^ +;][^;]*)*\z/,
        must_be => 'commands with ";" between them, and blanks or + between their words',
        %PASSED
    },
    namespaces => {
        form    => 'namespaces=s',
        check   => sub { return is_list_of(\%NAMESPACE, @_) },
        must_be => $NAMESPACES,
        %PASSED
    },
    'no-reference' => { form => 'no-reference' },
    output         => { form => 'output=s', check => qr/./, must_be => 'a path' },
    'max-total'    => { form => 'max-total=s', %SOME_SECONDS },
    paired         => { form => 'paired' },
    pause          => { form => 'pause=s', %SOME_SECONDS, %PASSED },
    phases         => { form => 'phases', %PASSED },
    pidfd          => { form => 'pidfd', %PASSED },
    pin            => {
        form    => 'pin=s',
        check   => $PLACEMENT,
        must_be => 'cores, threads, packages, performance, middle, efficiency, or CPUs like 0,2-5',
    },
    precision     => { form => 'precision=s', %A_PERCENTAGE },
    'own-target'  => { form => 'own-target', %PASSED },
    'programs-a'  => { form => 'programs-a=s', check => qr/./, must_be => 'a folder' },
    'programs-b'  => { form => 'programs-b=s', check => qr/./, must_be => 'a folder' },
    quick         => { form => 'quick' },
    quiet         => { form => 'q|quiet' },
    raw           => { form => 'raw', %PASSED },
    resume        => { form => 'resume=s', check => qr/./, must_be => 'the name of a run' },
    'relative-to' =>
        { form => 'relative-to=s', check => qr/./, must_be => 'the name of one of the runs' },
    seed           => { form => 'seed=s', %A_NUMBER },
    'set-a'        => { form => 'set-a=s', %A_COMMAND },
    'set-b'        => { form => 'set-b=s', %A_COMMAND },
    'set-back'     => { form => 'set-back=s', %A_COMMAND },
    'set-back-now' => { form => 'set-back-now' },
    settle         => { form => 'settle' },
    slice          => {
        form    => 'slice=s',
        check   => sub { $_[0] =~ $SECONDS && $_[0] >= SLICE_MIN },
        must_be => 'a number of seconds, at least ' . SLICE_MIN
    },
    sort     => { form => 'sort' },
    spawners => {
        form    => 'spawners=s',
        check   => qr/^(?:[1-9]\d{0,2}|10(?:[01]\d|2[0-4]))\z/,
        must_be => 'a whole number from 1 to 1024',
        %PASSED
    },
    steadied => { form => 'steadied' },
    'stop-a' => { form => 'stop-a=s', %A_COMMAND },
    'stop-b' => { form => 'stop-b=s', %A_COMMAND },
    syscalls => { form => 'syscalls' },
    targets  => { form => 'targets=s', %A_COUNT, %PASSED },
    tidy     => { form => 'tidy' },
    threads  => { form => 'threads=s', %A_NUMBER, %PASSED },
    touch    => { form => 'touch=s', %A_SIZE, %PASSED },
    to       => { form => 'to=s', check => qr/./, must_be => 'a file' },
    turns    => {
        form    => 'turns=s',
        check   => sub { $_[0] =~ $SECONDS && $_[0] >= TURN_MIN },
        must_be => 'a number of seconds, at least ' . TURN_MIN
    },
    verbose       => { form => 'v|verbose' },
    version       => { form => 'version' },
    'wrap-a'      => { form => 'wrap-a=s', %A_COMMAND },
    'wrap-b'      => { form => 'wrap-b=s', %A_COMMAND },
    'with-stored' => { form => 'with-stored' },
    with          =>
        { form => 'with=s', check => \&is_list_of_ingredients, must_be => $INGREDIENTS, %PASSED },
);

sub names { return sort keys %OPTION }

sub option { my ($name) = @_; return $OPTION{$name} }

sub for_programs {
    return grep { $OPTION{$_}{for_programs} } names();
}

sub is_placement { my ($text) = @_; return $text =~ $PLACEMENT }

sub is_list_of_ingredients {
    my ($text) = @_;
    my @wrong = grep { !$INGREDIENT{$_} && !(/^output=(.*)/ && $1 =~ $SIZE) } split /[,+]/, $text,
        -1;
    return length($text) && !@wrong;
}

sub check_value {
    my ($name, $value) = @_;
    my ($check, $must_be) = @{ $OPTION{$name} }{qw(check must_be)};
    return if !defined $check;
    for my $one (ref $value ? @{$value} : $value) {
        my $good = ref $check eq 'CODE' ? $check->($one) : $one =~ $check;
        die "--$name: '$one' is not $must_be\n" if !$good;
    }
    return;
}

# ---- values ----
#
# Whether the text of an option's value has the form that it must have.
#
#   are_copies(text) -> true for numbers of copies: "1,4-8,cpus,half"
#   is_percentage(text) -> true for a number above 0 and below 100, with % or without
#   is_list_of({ word => true }, text) -> true for such words with "," or "+" between them

sub are_copies {
    my ($text) = @_;
    for my $part (split /,/, $text, -1) {
        next if $part =~ /^(?:cpus|half)\z/;
        my ($from, $to) = $part =~ /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?\z/a or return 0;
        return 0 if defined $to && $to < $from;
    }
    return length $text;
}

sub is_percentage {
    my ($text) = @_;
    return $text =~ /^(\d{1,2}(?:[.]\d{1,4})?)%?$/ && $1 > 0;
}

sub is_list_of {
    my ($known, $text) = @_;
    return length($text) && !grep { !$known->{$_} } split /[,+]/, $text, -1;
}

1;
