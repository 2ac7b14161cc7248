# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Runs;

# ./Run list runs: lists the stored runs, the newest first; as CSV all, else the LISTED newest.
#
#   run(suite) -> exit status: 1 where a run cannot be read
#   entry(summary) -> some lines about one run

use strict;
use warnings;
use POSIX                          ();
use SpawnMeter::Analysis::Score    qw(blocks);
use SpawnMeter::Command::Output    qw(listed print_report write_or_print);
use SpawnMeter::Command::Selection qw(score_by);
use SpawnMeter::Report::Escape     qw(csv_line known number);
use SpawnMeter::Report::Columns    qw(split_by_copies);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile qw(summary_of);
use SpawnMeter::Util::File     qw(no_folder);
use SpawnMeter::Util::Format   qw(copies folded visible);

use constant {
    LISTED => 100,    # runs: one takes up to 0.1 s
    WIDTH  => 79,     # columns
};

my %KIND = (equals => 'equal run', ab => 'A/B run', kernels => 'instructions in kernels');

sub run {
    my ($suite) = @_;
    my ($folder, $is_csv) = ($suite->{results}, $suite->{option}{csv});
    my $named = defined $suite->{option}{output} || length($ENV{UB_RESULTDIR} || q{});
    die "$folder: ", no_folder($folder), "\n" if !-d $folder && ($named || -e $folder);
    my @files = SpawnMeter::Store::Find::newest($folder);
    my @older = !$is_csv && @files > LISTED ? splice @files, LISTED : ();
    my $csv = csv_line(qw(name label started kind machine copies index score partial results),
        qw(disturbed complete));
    my $problems = 0;

    for my $file (@files) {
        my $summary = summary($suite, $file);
        my $problem = $summary->{problem};
        $problems++ if defined $problem;
        $csv .= rows($summary) if !defined $problem;
        print {*STDERR} visible("Run: left out: $summary->{name}: $problem"), "\n"
            if $is_csv && defined $problem;

        # Each run is printed at once, since reading many takes time.
        print_report($suite, entry($summary)) if !$is_csv;
    }
    write_or_print(undef, $csv) if $is_csv;
    print {*STDERR} visible("$folder: no stored runs"), "\n" if !@files;
    my @parts = map { m{([^/]+)[.]part\z} } glob "\Q$folder\E/*.part";
    my $parts = 'unfinished or being measured (./Run show NAME)';
    print {*STDERR} visible("$parts: @parts"), "\n" if @parts;
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
    my ($date, $started, @lines) = ('unknown date    ', $summary->{started});
    $date = POSIX::strftime('%Y-%m-%d %H:%M', localtime $started) if $started;
    my $title = $summary->{name} . (defined $summary->{label} ? " ($summary->{label})" : q{});
    if (defined $summary->{problem}) { @lines = "cannot be read: $summary->{problem}" }
    else {
        @lines =
            (what($summary), scores(@{ $summary->{listed}{scores} }), $summary->{listed}{machine});
    }
    push @lines, 'began in the future: a clock was wrong; it is not latest'
        if $started && $started > time;
    return join q{}, folded("$date  ", visible($title), WIDTH),
        map { folded(q{    }, visible($_), WIDTH) } grep { length } @lines;
}

sub what {
    my ($summary) = @_;
    my ($kind, $listed) = ($summary->{kind} || 'run', $summary->{listed});
    my $what = $KIND{$kind} || $kind;
    $what .= " $listed->{sweep}" if defined $listed->{sweep};
    my @parts = ($what, $listed->{tests} == 1 ? '1 test' : "$listed->{tests} tests");
    push @parts, map { uc . ": $listed->{$_} of $listed->{results} results" }
        grep { $listed->{$_} } qw(busy disturbed);
    push @parts, 'INCOMPLETE: ' . known($listed->{reason}) if !$listed->{complete};
    return join ', ', @parts;
}

# "1 copy: System 317.9 (partial), Process 321.7; 2 copies: ..."
sub scores {
    my (@scores) = @_;
    my @of_copies;
    for (split_by_copies(@scores)) {
        my ($copies, @own) = @{$_};
        my @words;
        for my $score (@own) {
            my $title = ($score->{title} // 'final score') =~ s/ Benchmarks\z//r;
            my $partial = $score->{partial} ? ' (partial)' : q{};
            push @words, sprintf '%s %.1f%s', $title, $score->{score}, $partial;
        }
        push @of_copies, copies($copies) . ': ' . join ', ', @words;
    }
    return join '; ', @of_copies;
}

# -> lines of CSV
sub rows {
    my ($summary) = @_;
    my $listed = $summary->{listed};
    my @run = map { visible($_) } @{$summary}{qw(name label started)}, $summary->{kind} || 'run',
        $listed->{machine};
    my $disturbed = $listed->{busy} + $listed->{disturbed};
    my @after = ($listed->{results}, $disturbed, $listed->{complete} ? 1 : 0);
    my $text = q{};
    for my $of_score (@{ $listed->{scores} } ? @{ $listed->{scores} } : {}) {
        my ($copies, $title, $score, $partial) = @{$of_score}{qw(copies title score partial)};
        my @score = (visible($copies), visible($title), number('%.1f', $score), $partial);
        $text .= csv_line(@run, @score, @after);
    }
    return $text;
}

1;
