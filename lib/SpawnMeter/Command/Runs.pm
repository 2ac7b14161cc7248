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
    print {*STDERR} scalar(@older), " older runs are not listed; --csv lists all\n" if @older;
    return $problems ? 1 : 0;
}

# What the list says of a run: { name, label, kind, started, machine => text, tests => number of
# tests, scores => [ { copies, title, score, partial } ], results, disturbed, busy and flagged
# (disturbed, not busy) => numbers of results, complete, reason } or { name, problem => why it
# cannot be read }
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

    my @results = results_of($run, $kind, @blocks);
    my @scores = map {
        my $copies = $_->{copies};
        map { { %{$_}, copies => $copies } } @{ $_->{tables} }
    } @blocks;
    return {
        name => $name,
        kind => $kind,
        (map { $_ => $run->{$_} } qw(label started complete reason)),
        sweep     => $run->{sweep} ? $run->{sweep}{name} : undef,
        machine   => join(', ', grep { defined && length } @machine),
        tests     => scalar @{ $run->{tests} },
        scores    => \@scores,
        results   => scalar @results,
        disturbed => scalar(grep { $_->{disturbed} } @results),
        busy      => scalar(grep { $_->{busy} } @results),
        flagged   => scalar(grep { $_->{disturbed} && !$_->{busy} } @results),
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
    my $date =
        $of->{started}
        ? POSIX::strftime('%Y-%m-%d %H:%M', localtime $of->{started})
        : 'unknown date    ';
    my $title = $of->{name} . (defined $of->{label} ? " ($of->{label})" : q{});
    my @lines =
        defined $of->{problem}
        ? "cannot be read: $of->{problem}"
        : (what($of), scores(@{ $of->{scores} }), $of->{machine});
    return join q{}, folded("$date  ", visible($title), WIDTH),
        map { folded(q{    }, visible($_), WIDTH) } grep { length } @lines;
}

sub what {
    my ($of) = @_;
    my $what = $KIND{ $of->{kind} } || $of->{kind};
    $what .= " $of->{sweep}" if defined $of->{sweep};
    my @parts = ($what, $of->{tests} == 1 ? '1 test' : "$of->{tests} tests");
    push @parts, "BUSY: $of->{busy} of $of->{results} results" if $of->{busy};
    push @parts, "DISTURBED: $of->{flagged} of $of->{results} results" if $of->{flagged};
    push @parts, 'INCOMPLETE: ' . known($of->{reason}) if !$of->{complete};
    return join ', ', @parts;
}

# "1 copy: System 317.9 (partial), Process 321.7; 2 copies: ..."
sub scores {
    my (@scores) = @_;
    my @of_copies;
    for (by_copies(@scores)) {
        my ($copies, @own) = @{$_};
        my @words = map {
            my $title = defined $_->{title} ? $_->{title} : 'final score';
            sprintf '%s %.1f%s', $title =~ s{ Benchmarks\z}{}r, $_->{score},
                $_->{partial}
                ? ' (partial)'
                : q{}
        } @own;
        push @of_copies, copies($copies) . ': ' . join ', ', @words;
    }
    return join '; ', @of_copies;
}

# -> lines of CSV
sub rows {
    my ($of) = @_;
    my @scores = @{ $of->{scores} } ? @{ $of->{scores} } : {};
    my @run = map { visible($_) } @{$of}{qw(name label started kind machine)};
    my @after = (@{$of}{qw(results disturbed)}, $of->{complete} ? 1 : 0);
    return join q{}, map {
        csv_line(
            @run,
            visible($_->{copies}),
            visible($_->{title}),
            number('%.1f', $_->{score}),
            $_->{partial}, @after
        )
    } @scores;
}

1;
