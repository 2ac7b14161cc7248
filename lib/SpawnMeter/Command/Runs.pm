# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Runs;

# ./Run runs: lists the stored runs, the newest first; as CSV all, else the LISTED newest.
#
#   run(suite) -> exit status: 1 where a run cannot be read
#   entry(summary) -> some lines about one run

use strict;
use warnings;
use POSIX                             ();
use SpawnMeter::Analysis::Pairs       ();
use SpawnMeter::Analysis::Results     qw(results);
use SpawnMeter::Analysis::Score       qw(blocks);
use SpawnMeter::Analysis::Points      qw(points);
use SpawnMeter::Command::Output       qw(print_report write_or_print);
use SpawnMeter::Command::Selection    qw(score_by);
use SpawnMeter::Report::Escape        qw(csv_line known);
use SpawnMeter::Report::Text::Quality qw(by_copies);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File   qw(no_folder);
use SpawnMeter::Util::Format qw(copies folded visible);

use constant {
    LISTED => 100,    # runs: one takes up to 0.1 s
    WIDTH  => 79,     # columns
};

my %KIND = (equals => 'equal run', ab => 'A/B run', sweep => 'sweep', run => 'run');

sub run {
    my ($suite) = @_;
    my $folder = $suite->{results};
    my $named = defined $suite->{option}{output} || length($ENV{UB_RESULTDIR} || q{});
    die "$folder: ", no_folder($folder), "\n" if !-d $folder && ($named || -e $folder);
    my @files = SpawnMeter::Store::Find::newest($folder);
    my @older = $suite->{option}{csv} ? () : splice @files, LISTED < @files ? LISTED : @files;
    my $score_by = score_by($suite);
    my @summaries;

    for my $file (@files) {
        my $of = summary($file, $score_by);
        push @summaries, $of;

        # at once, since reading many runs takes time
        print_report($suite, entry($of)) if !$suite->{option}{csv};
    }
    write_or_print(undef, csv(@summaries)) if $suite->{option}{csv};
    print {*STDERR} visible("$folder: no stored runs"), "\n" if !@files;
    print {*STDERR} scalar(@older), " older runs are not listed; --csv lists all\n" if @older;
    return (grep { defined $_->{problem} } @summaries) ? 1 : 0;
}

# What the list says of a run: { name, label, kind, started, machine => text, tests => number of
# tests, scores => [ { copies, title, score, partial } ], results, disturbed => numbers of
# results, complete, reason, problem => why it cannot be read }
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

# ---- the list ----

sub entry {
    my ($of) = @_;
    my $started = $of->{started};
    my $date =
        $started ? POSIX::strftime('%Y-%m-%d %H:%M', localtime $started) : 'unknown date    ';
    my $title = $of->{name} . (defined $of->{label} ? " ($of->{label})" : q{});
    my $text = folded("$date  ", visible($title), WIDTH);
    return $text . folded(q{    }, visible("cannot be read: $of->{problem}"), WIDTH)
        if defined $of->{problem};
    $text .= folded(q{    }, visible($_), WIDTH)
        for grep { length } what($of), scores($of), $of->{machine};
    return $text;
}

sub what {
    my ($of) = @_;
    my $what = $KIND{ $of->{kind} } || $of->{kind};
    $what .= " $of->{sweep}" if defined $of->{sweep};
    my @parts = ($what, $of->{tests} == 1 ? '1 test' : "$of->{tests} tests");
    push @parts, sprintf 'DISTURBED: %d of %d results', @{$of}{qw(disturbed results)}
        if $of->{disturbed};
    push @parts, 'INCOMPLETE: ' . known($of->{reason}) if !$of->{complete};
    return join ', ', @parts;
}

# "1 copy: System 317.9 (partial), Process 321.7; 2 copies: ..."
sub scores {
    my ($of) = @_;
    my @of_copies;
    for (by_copies(@{ $of->{scores} })) {
        my ($copies, @own) = @{$_};
        push @of_copies, copies($copies) . ': ' . join ', ', map { score($_) } @own;
    }
    return join '; ', @of_copies;
}

sub score {
    my ($score) = @_;
    my $title = defined $score->{title} ? $score->{title} =~ s{ Benchmarks\z}{}r : 'final score';
    return sprintf '%s %.1f%s', $title, $score->{score}, $score->{partial} ? ' (partial)' : q{};
}

sub csv {
    my (@summaries) = @_;
    my $csv = csv_line(qw(name label started kind machine copies index score partial results),
        qw(disturbed complete));
    for my $of (grep { !defined $_->{problem} } @summaries) {
        my @scores = @{ $of->{scores} } ? @{ $of->{scores} } : {};
        $csv .= csv_line(
            map({ visible($_) } @{$of}{qw(name label started kind machine)}),
            map({ visible($_) } @{$_}{qw(copies title)}),
            defined $_->{score} ? sprintf('%.1f', $_->{score}) : undef,
            @{$_}{'partial'},
            @{$of}{qw(results disturbed)},
            $of->{complete} ? 1 : 0
        ) for @scores;
    }
    return $csv;
}

1;
