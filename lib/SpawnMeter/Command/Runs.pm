# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Runs;

# ./Run list runs: lists the stored runs, the newest first; as CSV all, else the LISTED newest.
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
use SpawnMeter::Report::Escape        qw(csv_line known number);
use SpawnMeter::Report::Text::Quality qw(by_copies);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File   qw(no_folder);
use SpawnMeter::Util::Format qw(copies folded visible);

use constant {
    LISTED => 100,    # runs: one takes up to 0.1 s
    WIDTH  => 79,     # columns
};

my %KIND = (equals => 'equal run', ab => 'A/B run');

sub run {
    my ($suite) = @_;
    my ($folder, $is_csv) = ($suite->{results}, $suite->{option}{csv});
    my $named = defined $suite->{option}{output} || length($ENV{UB_RESULTDIR} || q{});
    die "$folder: ", no_folder($folder), "\n" if !-d $folder && ($named || -e $folder);
    my @files = SpawnMeter::Store::Find::newest($folder);
    my @older = !$is_csv && @files > LISTED ? splice @files, LISTED : ();
    my $score_by = score_by($suite);
    my $csv = csv_line(qw(name label started kind machine copies index score partial results),
        qw(disturbed complete));
    my $problems = 0;

    for my $file (@files) {
        my $of = summary($file, $score_by);
        $problems++ if defined $of->{problem};
        $csv .= rows($of) if !defined $of->{problem};

        # at once, since reading many runs takes time
        print_report($suite, entry($of)) if !$is_csv;
    }
    write_or_print(undef, $csv) if $is_csv;
    print {*STDERR} visible("$folder: no stored runs"), "\n" if !@files;
    my @parts = map { m{([^/]+)[.]part\z} } glob "\Q$folder\E/*.part";
    my $parts = 'unfinished or being measured (./Run show NAME)';
    print {*STDERR} visible("$parts: @parts"), "\n" if @parts;
    print {*STDERR} scalar(@older), " older runs are not listed; --csv lists all\n" if @older;
    return $problems ? 1 : 0;
}

# What the list says of a run: { fields of the run, name, kind, machine => text, scores => [ {
# copies, title, score, partial } ], results => [result] } or { name, problem => why it cannot be
# read }
sub summary {
    my ($file, $score_by) = @_;
    my ($name) = $file =~ m{([^/]+)[.]json\z};
    my $run = eval { SpawnMeter::Store::RunFile::load($file) }
        or return { name => $name, problem => $@ =~ s/\A\Q$file\E: //r =~ s/\n\z//r };
    my $kind = $run->{kind} || 'run';
    my @blocks = $kind eq 'run' ? @{ blocks($run, $score_by) } : ();
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my @machine = ($run->{host}, $system->{cpu_model}, $kernel, $system->{distribution});
    my @scores = map {
        my $copies = $_->{copies};
        map { { %{$_}, copies => $copies } } @{ $_->{tables} }
    } @blocks;
    return {
        %{$run},
        name    => $name,
        kind    => $kind,
        machine => join(', ', grep { defined && length } @machine),
        scores  => \@scores,
        results => [ results_of($run, $kind, @blocks) ],
    };
}

# Those that were measured: of an A/B run its rows, which are of pairs
sub results_of {
    my ($run, $kind, @blocks) = @_;
    return grep { defined $_->{ratio} } @{ SpawnMeter::Analysis::Pairs::summary($run)->{rows} }
        if $kind eq 'ab';
    my @results =
          $run->{sweep}  ? map { values %{$_} } values %{ points($run) }
        : $kind eq 'run' ? map { @{ $_->{results} } } @blocks
        :                  @{ results($run) };
    return grep { defined $_->{rate} } @results;
}

sub entry {
    my ($of) = @_;
    my ($date, @lines) = 'unknown date    ';
    $date = POSIX::strftime('%Y-%m-%d %H:%M', localtime $of->{started}) if $of->{started};
    my $title = $of->{name} . (defined $of->{label} ? " ($of->{label})" : q{});
    if (defined $of->{problem}) { @lines = "cannot be read: $of->{problem}" }
    else                        { @lines = (what($of), scores(@{ $of->{scores} }), $of->{machine}) }
    return join q{}, folded("$date  ", visible($title), WIDTH),
        map { folded(q{    }, visible($_), WIDTH) } grep { length } @lines;
}

sub what {
    my ($of) = @_;
    my $what = $KIND{ $of->{kind} } || $of->{kind};
    $what .= " $of->{sweep}{name}" if $of->{sweep};
    my ($tests, @results) = (scalar @{ $of->{tests} }, @{ $of->{results} });
    my @parts = ($what, $tests == 1 ? '1 test' : "$tests tests");
    my %has;
    $has{ $_->{busy} ? 'BUSY' : 'DISTURBED' }++ for grep { $_->{busy} || $_->{disturbed} } @results;
    push @parts, map { "$_: $has{$_} of " . @results . ' results' } sort keys %has;
    push @parts, 'INCOMPLETE: ' . known($of->{reason}) if !$of->{complete};
    return join ', ', @parts;
}

# "1 copy: System 317.9 (partial), Process 321.7; 2 copies: ..."
sub scores {
    my (@scores) = @_;
    my @of_copies;
    for (by_copies(@scores)) {
        my ($copies, @own) = @{$_};
        my @words;
        for my $score (@own) {
            my $title = $score->{title} // 'final score';
            my $partial = $score->{partial} ? ' (partial)' : q{};
            push @words, sprintf '%s %.1f%s', $title =~ s/ Benchmarks\z//r, $score->{score},
                $partial;
        }
        push @of_copies, copies($copies) . ': ' . join ', ', @words;
    }
    return join '; ', @of_copies;
}

# -> lines of CSV
sub rows {
    my ($of) = @_;
    my @scores = @{ $of->{scores} } ? @{ $of->{scores} } : {};
    my @run = map { visible($_) } @{$of}{qw(name label started kind machine)};
    my @results = @{ $of->{results} };
    my $disturbed = grep { $_->{disturbed} } @results;
    my @after = (scalar @results, $disturbed, $of->{complete} ? 1 : 0);
    my $text = q{};
    for my $of_score (@scores) {
        my ($copies, $title, $score, $partial) = @{$of_score}{qw(copies title score partial)};
        my @score = (visible($copies), visible($title), number('%.1f', $score), $partial);
        $text .= csv_line(@run, @score, @after);
    }
    return $text;
}

1;
