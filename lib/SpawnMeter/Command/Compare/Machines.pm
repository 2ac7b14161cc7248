# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Compare::Machines;

# Reads the runs that a comparison names.
#
#   gather(suite; score_by => those of Command::Selection, [names], [names of the second group] or
#       nothing) -> ([[machines], ...], which are groups: those before and after --, or without it
#       the runs of each label, and each other run by itself.  Machines of
#       Analysis::Comparison, which also have host => name, identity => text, scores =>
#       [scores of Analysis::Ranking], page => path of the run's page relative to that of the
#       comparison, or undef], [messages about files that could not be read]).  Lines that cannot
#       be read, and with --keep-going files, are reported; without it dies with the first file
#
# Many files are read by several processes.  Of a folder only runs and posted reports count, no
# sweeps and no A/A runs.

use strict;
use warnings;
use Exporter 'import';
use File::Basename                    qw(dirname);
use File::Spec                        ();
use List::Util                        qw(min);
use SpawnMeter::Analysis::Comparison  qw(reduce);
use SpawnMeter::Analysis::Fingerprint qw(identity);
use SpawnMeter::Analysis::Posted      qw(misprints);
use SpawnMeter::Analysis::Ranking     qw(scores);
use SpawnMeter::Analysis::Results     qw(blocks);
use SpawnMeter::Command::AB           qw(sides_of);
use SpawnMeter::Command::Selection    qw(printed_score_by);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format   qw(visible visible_lines);
use SpawnMeter::Util::Parallel qw(in_parallel);

our @EXPORT_OK = qw(gather);

use constant {
    MANY      => 16,    # files, from which on several processes read them
    PROCESSES => 4,     # at most: each needs about 30 MB
};

sub gather {
    my ($suite, @sides) = @_;
    $suite = { %{$suite}, only_copies => scalar only_copies($suite) };
    my @files;
    for my $side (0 .. $#sides) {
        for my $name (@{ $sides[$side] }) {
            my $group = @sides > 1 ? $side : "name $name";
            push @files,
                map { { %{$_}, group => @sides > 1 || $_->{labelled} ? $group : undef } }
                named($suite, $name);
        }
    }
    my @results = in_parallel(
        processes(scalar @files),
        sub {
            my ($file) = @_;
            return defined $file->{error} ? die $file->{error} : read_file($suite, $file);
        },
        @files
    );
    my (@machines, @complaints);
    for my $i (0 .. $#results) {
        my $result = $results[$i];
        if (defined $result->{error}) {
            die $result->{error} if !$suite->{option}{'keep-going'};
            push @complaints, $result->{error};
            print {*STDERR} 'Run: ', visible_lines($result->{error});
            next;
        }
        print {*STDERR} @{ $result->{value}{reported} };
        push @machines, map { [ $files[$i]{group}, $_ ] } @{ $result->{value}{machines} };
    }
    return (grouped(@machines), \@complaints);
}

# [group or undef, machine] ... -> [[machines], ...]
sub grouped {
    my (@machines) = @_;
    my (@groups, %group);
    for (@machines) {
        my ($name, $machine) = @{$_};
        push @groups, defined $name ? ($group{$name} = []) : [] if !defined $name || !$group{$name};
        push @{ defined $name ? $group{$name} : $groups[-1] }, $machine;
    }
    return \@groups;
}

sub only_copies {
    my ($suite) = @_;
    my ($copies) = @{ $suite->{option}{copies} || [] };
    die "compare: --copies takes one number, got '$copies'\n"
        if defined $copies && $copies !~ /^\d+\z/a;
    return defined $copies ? $copies + 0 : undef;
}

sub processes {
    my ($files) = @_;
    return 1 if $files < MANY;
    return min(PROCESSES, scalar @{ SpawnMeter::Machine::Facts->new->allowed_cpus });
}

# The files that a name stands for: { path, in_folder, labelled } or { error }
sub named {
    my ($suite, $name) = @_;
    my @paths;
    eval { @paths = SpawnMeter::Store::Find::files($suite, $name, 'run'); 1 }
        or return { error => $@ };
    my $in_folder = $name ne q{-} && -d $name ? 1 : 0;
    my $labelled = !$in_folder && @paths > 1 ? 1 : 0;
    return map { { path => $_, in_folder => $in_folder, labelled => $labelled } } @paths;
}

# -> { machines => [machine], reported => [lines of messages] }
sub read_file {
    my ($suite, $file) = @_;
    my $path = $file->{path};
    my $found = SpawnMeter::Store::RunFile::load_all($path, $suite->{catalog}{tests});
    my @runs = @{ $found->{runs} };
    return { machines => [], reported => [] }
        if $file->{in_folder} && grep { ($_->{kind} || q{}) =~ /^(?:equals|sweep)\z/ } @runs;
    die "$path: a sweep, whose points are not results of tests; ./Run show prints it\n"
        if grep { $_->{sweep} } @runs;
    my $short = $path =~ m{([^/]+?)(?:[.]json|[.]samples)?\z} ? $1 : $path;
    my (@machines, @reported);

    for my $i (0 .. $#runs) {
        my $name = @runs > 1 ? "$short#" . ($i + 1) : $short;
        push @machines,
            map { machine($suite, $_->{run}, $_->{name}, $path) } sides_of($runs[$i], $name);
        push @reported, misprinted($suite, $runs[$i], $name) if $runs[$i]{printed};
    }
    push @reported,
        map { visible("$path, line $_->{line}: ignored: $_->{why}") . "\n" } @{ $found->{unread} };
    return { machines => \@machines, reported => \@reported };
}

# A run reduced to what is compared, with its index scores
sub machine {
    my ($suite, $run, $name, $path) = @_;
    my $machine = reduce($run, $name, $suite->{only_copies});
    my $as_printed = $run->{printed} && !defined $suite->{option}{baseline};
    my $by = $as_printed ? printed_score_by($suite->{catalog}, $run) : $suite->{score_by};
    return {
        %{$machine},
        host     => $run->{host},
        identity => scalar identity($machine),
        scores   => scores($machine, $by),
        page     => scalar page($suite, $path),
    };
}

sub page {
    my ($suite, $path) = @_;
    my $page = $path =~ s/[.]json\z/.html/r;
    return if !$suite->{option}{html} || $page eq $path || !-f $page;
    my $to = $suite->{option}{to};
    return File::Spec->abs2rel($page, defined $to ? dirname(File::Spec->rel2abs($to)) : undef);
}

# Scores of a posted report that its results contradict: then a number of it is wrong
sub misprinted {
    my ($suite, $run, $name) = @_;
    my $blocks = blocks($run, printed_score_by($suite->{catalog}, $run));
    return
        map { visible_lines("$name: " . SpawnMeter::Report::Text::misprint($_)) }
        misprints($run, $blocks);
}

1;
