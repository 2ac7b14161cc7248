# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output;

# The reports of a run: makes, prints and stores them.
#
#   texts(suite, run, score_by) -> hash: '' => the text report, '.html' => page, '.csv' =>
#       table, '.svg', '.png' => pictures, as far as its kind has them
#   finish(session, run, score_by, signal or undef) -> exit status: prints the text report
#       (unless the session has no_report), also where it cannot be stored, and stores all
#   print_text(text): to standard output, as UTF-8

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(min);
use SpawnMeter::Analysis::AA;
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Results qw(blocks results);
use SpawnMeter::Analysis::Sweep   qw(analysis parts);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Command::Equals qw(history);
use SpawnMeter::Report::AA;
use SpawnMeter::Report::CSV;
use SpawnMeter::Report::Explain;
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::Plot;
use SpawnMeter::Report::Published;
use SpawnMeter::Report::Sweep;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(visible visible_lines);
use SpawnMeter::Util::Gnuplot;
use SpawnMeter::Util::Process;

our @EXPORT_OK = qw(texts finish print_text);

use constant USUAL_TIME => 10;    # seconds of a test in a run (--max-time)

sub texts {
    my ($suite, $run, $score_by) = @_;
    my $kind = $run->{kind} || 'run';
    return texts_of_sweep($suite, $run) if $run->{sweep};
    my $report = SpawnMeter::Report::Text->new(brief => $suite->{option}{brief});
    return (q{} => $report->header($run) . equals_of($suite, $run)) if $kind eq 'equals';
    my $scored = { %{$run}, scored => blocks($run, $score_by) };
    my %file = (
        q{}     => $report->render($scored),
        '.html' => SpawnMeter::Report::HTML->new->render($scored),
    );
    $file{'.csv'} = SpawnMeter::Report::CSV->new->render($scored) if wants_csv($suite);
    return %file;
}

# The report of an A/A run
sub equals_of {
    my ($suite, $run) = @_;
    my $runs = SpawnMeter::Analysis::AA::sides($run);
    my $stored = $suite->{option}{history} ? history($suite, { run => $run }) : [];
    my $equals = SpawnMeter::Analysis::AA::equals($runs, @{$stored} ? $stored : ());
    my $shorter = min(1, ($run->{protocol}{max_time} || 0) / USUAL_TIME || 1);
    return SpawnMeter::Report::AA::render(
        SpawnMeter::Analysis::AA::summary($runs, $equals, shorter => $shorter),
        further => scalar @{$stored},
        problem => scalar SpawnMeter::Analysis::AA::problem($runs),
    );
}

sub wants_csv {
    my ($suite) = @_;
    return $suite->{option}{csv} || lc($ENV{UB_OUTPUT_CSV} || q{}) eq 'true';
}

sub texts_of_sweep {
    my ($suite, $run) = @_;
    my $header = SpawnMeter::Report::Text->new(brief => $suite->{option}{brief})->header($run);
    return texts_of_model($run, $header) if $run->{sweep}{parts};
    my $analysis = analysis($run);
    my $csv = SpawnMeter::Report::Sweep::csv($run, $analysis);
    my $experiment = SpawnMeter::Catalog::Published::named($run->{sweep}{name});
    if ($experiment) {
        my $text = $header . published($suite, $run, $analysis, $experiment);
        return (q{} => $text, '.csv' => $csv, '.html' => page($run, $text));
    }
    my ($pictures, $why) = pictures($suite, $run, $csv);
    my $text = $header . SpawnMeter::Report::Sweep::text($run, $analysis);
    $text .= SpawnMeter::Report::Plot::as_text($pictures->{dumb}) if defined $pictures->{dumb};
    $text .= "No plot: $why.\n" if defined $why;
    my %file = (q{} => $text, '.csv' => $csv, '.html' => page($run, $text, $pictures->{svg}));
    for my $form (qw(svg png)) {
        $file{".$form"} = $pictures->{$form} if defined $pictures->{$form};
    }
    return %file;
}

# Of several sweeps that were measured together
sub texts_of_model {
    my ($run, $header) = @_;
    my $part = parts($run);
    my %of = map { $_ => { run => $part->{$_}, analysis => analysis($part->{$_}) } } keys %{$part};
    my $model = SpawnMeter::Analysis::CostModel::model(\%of);
    my $text = $header . SpawnMeter::Report::Explain::render($model);
    $text .= SpawnMeter::Report::Sweep::ending($run);
    return (q{} => $text, '.html' => page($run, $text));
}

sub published {
    my ($suite, $run, $analysis, $experiment) = @_;
    my @references =
        map { SpawnMeter::Store::RunFile::load("$suite->{root}/results/reference/$_.json") }
        @{ $experiment->{references} };
    return SpawnMeter::Report::Published::text($experiment, $run, $analysis, @references);
}

sub page {
    my ($run, $text, $svg) = @_;
    my @plots;
    push @plots, { title => $run->{sweep}{title}, svg => SpawnMeter::Report::Plot::inline($svg) }
        if defined $svg;
    return SpawnMeter::Report::HTML->new->render(
        { %{$run}, scored => [], plots => \@plots, table => $text });
}

# -> ({ form => picture }, reason why one is missing, or undef)
sub pictures {
    my ($suite, $run, $csv) = @_;
    my %picture;
    for my $form ('svg', 'png', $suite->{option}{ascii} ? 'dumb' : ()) {
        my ($picture, $why) = SpawnMeter::Util::Gnuplot::draw(
            script    => "$suite->{root}/plots/sweep.gp",
            data      => $csv,
            arguments => [ $form, SpawnMeter::Report::Plot::arguments($run->{sweep}) ],
        );
        return (\%picture, $why) if defined $why;
        $picture{$form} = $picture;
    }
    return (\%picture, undef);
}

sub finish {
    my ($session, $run, $score_by, $signal) = @_;
    my ($suite, $results) = @{$session}{qw(suite results)};
    my $quiet = $suite->{option}{quiet};
    my %file = texts($suite, $run, $score_by);
    print_text($file{q{}}) if !$quiet && !$session->{no_report};
    my $stored = eval { store($results, $run, \%file); 1 };
    if    (!$stored) { print {*STDERR} 'Run: NOT STORED: ', visible_lines($@) }
    elsif (!$quiet)  { print {*STDERR} 'Stored: ', visible($results->{path}), "\n" }
    return SpawnMeter::Util::Process::status_of_signal($signal) if defined $signal;
    return $stored && $run->{complete} ? 0 : 1;
}

sub store {
    my ($results, $run, $file) = @_;
    my $failed = $results->{journal}->failed;
    die "$results->{path}.part: $failed\n" if $failed;
    my %for_other_programs = $run->{sweep} ? () : (results => results($run));
    SpawnMeter::Store::RunFile::finish($results, { %{$run}, %for_other_programs });
    for my $ending (sort keys %{$file}) {
        SpawnMeter::Store::RunFile::write_file("$results->{path}$ending", $file->{$ending});
    }
    return;
}

sub print_text {
    my ($text) = @_;
    utf8::encode($text) if utf8::is_utf8($text);
    print $text;
    return;
}

1;
