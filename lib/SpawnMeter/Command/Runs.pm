# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Runs;

# ./Run runs: lists the stored runs, the newest first; as CSV all, else the LISTED newest.
#
#   run(suite) -> exit status: 1 where a run cannot be read

use strict;
use warnings;
use SpawnMeter::Analysis::Pairs    ();
use SpawnMeter::Analysis::Results  qw(results);
use SpawnMeter::Analysis::Score    qw(blocks);
use SpawnMeter::Analysis::Points   qw(points);
use SpawnMeter::Command::Output    qw(print_report print_text);
use SpawnMeter::Command::Selection qw(score_by);
use SpawnMeter::Report::Runs;
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File     qw(no_folder);
use SpawnMeter::Util::Format   qw(visible);
use SpawnMeter::Util::Terminal qw(size);

use constant LISTED => 100;    # runs: one takes up to 0.1 s

sub run {
    my ($suite) = @_;
    my $folder = $suite->{results};
    my $named = defined $suite->{option}{output} || length($ENV{UB_RESULTDIR} || q{});
    die "$folder: ", no_folder($folder), "\n" if !-d $folder && ($named || -e $folder);
    my @files = SpawnMeter::Store::Find::newest($folder);
    my @older = $suite->{option}{csv} ? () : splice @files, LISTED < @files ? LISTED : @files;
    my $score_by = score_by($suite);
    my ($columns) = -t STDOUT ? size(\*STDOUT) : (80);
    my @summaries;

    for my $file (@files) {
        my $of = summary($file, $score_by);
        push @summaries, $of;

        # at once, since reading many runs takes time
        print_report($suite, SpawnMeter::Report::Runs::entry($of, $columns))
            if !$suite->{option}{csv};
    }
    print_text(SpawnMeter::Report::Runs::csv(@summaries)) if $suite->{option}{csv};
    print {*STDERR} visible("$folder: no stored runs"), "\n" if !@files;
    print {*STDERR} scalar(@older), " older runs are not listed; --csv lists all\n" if @older;
    return (grep { defined $_->{problem} } @summaries) ? 1 : 0;
}

sub summary {
    my ($file, $score_by) = @_;
    my ($name) = $file =~ m{([^/]+)[.]json\z};
    my $run = eval { SpawnMeter::Store::RunFile::load($file) }
        or return { name => $name, problem => $@ =~ s/\A\Q$file\E: //r =~ s/\n\z//r };
    my $kind = $run->{kind} || 'run';
    my @blocks = $kind eq 'run' ? @{ blocks($run, $score_by) } : ();
    my @results = results_of($run, $kind, @blocks);
    my @tables = map {
        my $copies = $_->{copies};
        map { { %{$_}, copies => $copies } } @{ $_->{tables} }
    } @blocks;
    return {
        name => $name,
        kind => $kind,
        (map { $_ => $run->{$_} } qw(label started complete reason)),
        sweep     => $run->{sweep} ? $run->{sweep}{name} : undef,
        machine   => machine($run),
        tests     => scalar @{ $run->{tests} },
        scores    => \@tables,
        results   => scalar @results,
        disturbed => scalar(grep { $_->{disturbed} } @results),
    };
}

# Those that were measured: of an A/B run its rows, which are of pairs
sub results_of {
    my ($run, $kind, @blocks) = @_;
    return grep { defined $_->{ratio} } @{ SpawnMeter::Analysis::Pairs::summary($run)->{rows} }
        if $kind eq 'ab';
    my @results =
          $run->{sweep} ? map { values %{$_} } values %{ points($run) }
        : map { @{$_} } $kind eq 'run' ? map({ $_->{results} } @blocks)
        :                                results($run);
    return grep { defined $_->{rate} } @results;
}

sub machine {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    return join ', ', grep { defined && length } $run->{host}, $system->{cpu_model}, $kernel,
        $system->{distribution};
}

1;
