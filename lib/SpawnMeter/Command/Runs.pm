# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Runs;

# ./Run list runs: a line for each of the LISTED newest runs, below its machine; as CSV for all.
#
#   run(suite) -> exit status: 1 where a run cannot be read
#   entry(summary) -> the line of one run

use strict;
use warnings;
use POSIX                          ();
use SpawnMeter::Analysis::Score    qw(blocks);
use SpawnMeter::Command::Output    qw(listed print_report write_or_print);
use SpawnMeter::Command::Selection qw(score_by);
use SpawnMeter::Report::Escape     qw(csv_line known number);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile qw(summary_of);
use SpawnMeter::Util::File     qw(no_folder);
use SpawnMeter::Util::Format   qw(copies visible);

use constant {
    LISTED => 100,    # runs: one takes up to 0.1 s
    NAME   => 20,     # columns
};

my %KIND = (run => q{}, equals => 'equal runs, ', ab => 'A/B, ', kernels => 'kernels, ');

sub run {
    my ($suite) = @_;
    my $folder = $suite->{results};
    my $named = defined $suite->{option}{output} || length($ENV{UB_RESULTDIR} || q{});
    die "$folder: ", no_folder($folder), "\n" if !-d $folder && ($named || -e $folder);
    my @files = SpawnMeter::Store::Find::newest($folder);
    print {*STDERR} visible("$folder: no stored runs"), "\n" if !@files;
    return csv($suite, @files) if $suite->{option}{csv};
    my @older = @files > LISTED ? splice @files, LISTED : ();
    my ($problems, $machine) = (0, q{});

    for my $file (@files) {
        my $summary = summary($suite, $file);
        $problems++ if defined $summary->{problem};
        my $here = $summary->{listed} ? $summary->{listed}{machine} : $machine;
        my $head = $here eq $machine ? q{} : visible($here) . "\n";
        $machine = $here;

        # Each run is printed at once, since reading many takes time.
        print_report($suite, $head . entry($summary));
    }
    my @parts = map { m{([^/]+)[.]part\z} } glob "\Q$folder\E/*.part";
    print {*STDERR} visible("unfinished or being measured (./Run show NAME): @parts"), "\n"
        if @parts;
    print {*STDERR} scalar(@older), " older runs are not listed; --csv lists all\n" if @older;
    return $problems ? 1 : 0;
}

# -> what the list says of a run: { name, what finds it, listed => record `listed` } or { name,
# problem => why it cannot be read }.  What another version has stored is computed anew.
sub summary {
    my ($suite, $file) = @_;
    my ($name) = $file =~ m{([^/]+)[.]json\z};
    my $stored = summary_of($file);
    return { %{$stored}, name => $name }
        if $stored && $stored->{listed} && ($stored->{suite} || q{}) eq $suite->{version};
    my $summary = eval {
        my $run = SpawnMeter::Store::RunFile::load($file);
        my $is_scored = ($run->{kind} || 'run') eq 'run';
        my $listed = listed($run, $is_scored ? blocks($run, score_by($suite)) : undef);
        return { %{$run}, name => $name, listed => $listed };
    };
    return $summary || { name => $name, problem => $@ =~ s/\A\Q$file\E: //r =~ s/\n\z//r };
}

sub entry {
    my ($summary) = @_;
    my ($date, $started, $problem) = ('unknown date    ', @{$summary}{qw(started problem)});
    $date = POSIX::strftime('%Y-%m-%d %H:%M', localtime $started) if $started;
    my $name = $summary->{name} . (defined $summary->{label} ? " ($summary->{label})" : q{});
    my @parts = defined $problem ? "cannot be read: $problem" : what($summary);
    push @parts, 'began in the future: a clock was wrong; it is not latest'
        if $started && $started > time;
    return sprintf "  %s  %-*s  %s\n", $date, NAME, visible($name), visible(join '; ', @parts);
}

# "8 tests: Process 321.7 (1 copy), 598.2 (2)", then what is wrong
sub what {
    my ($summary) = @_;
    my ($kind, $listed) = ($summary->{kind} || 'run', $summary->{listed});
    my $what = $KIND{$kind} // "$kind, ";
    $what = "sweep $listed->{sweep}, " if defined $listed->{sweep};
    $what .= $listed->{tests} == 1 ? '1 test' : "$listed->{tests} tests";
    my $scores = scores(@{ $listed->{scores} });
    my @parts = length $scores ? "$what: $scores" : $what;
    push @parts, map { uc . " $listed->{$_} of $listed->{results}" }
        grep { $listed->{$_} } qw(busy disturbed);
    push @parts, 'INCOMPLETE: ' . known($listed->{reason}) if !$listed->{complete};
    return @parts;
}

# Of one index, of all its tests if there is such a score: "Process 321.7 (1 copy), 598.2 (2)"
sub scores {
    my (@scores) = sort { !!$a->{partial} <=> !!$b->{partial} } @_;
    my $title = ($scores[0] || return q{})->{title} // 'final score';
    my @of_title = grep { ($_->{title} // 'final score') eq $title } @scores;
    my ($first, @others) = sort { $a->{copies} <=> $b->{copies} } @of_title;
    my $name = $title =~ s/ Benchmarks\z//r . ($first->{partial} ? ' (partial)' : q{});
    return join ', ', sprintf('%s %.1f (%s)', $name, $first->{score}, copies($first->{copies})),
        map { sprintf '%.1f (%s)', @{$_}{qw(score copies)} } @others;
}

sub csv {
    my ($suite, @files) = @_;
    my $text = csv_line(qw(name label started kind machine copies index score partial results),
        qw(disturbed complete));
    my $status = 0;
    for my $summary (map { summary($suite, $_) } @files) {
        my ($name, $problem, $listed) = @{$summary}{qw(name problem listed)};
        if (defined $problem) {
            print {*STDERR} visible("Run: left out: $name: $problem"), "\n";
            $status = 1;
            next;
        }
        my @run = ($name, @{$summary}{qw(label started)}, $summary->{kind} || 'run');
        my $disturbed = $listed->{busy} + $listed->{disturbed};
        for my $of_score (@{ $listed->{scores} } ? @{ $listed->{scores} } : {}) {
            my ($copies, $title, $score, $partial) = @{$of_score}{qw(copies title score partial)};
            my @score = (number('%.1f', $score), $partial);
            $text .= csv_line(map({ visible($_) } @run, $listed->{machine}, $copies, $title),
                @score, $listed->{results}, $disturbed, $listed->{complete} ? 1 : 0);
        }
    }
    write_or_print(undef, $text);
    return $status;
}

1;
