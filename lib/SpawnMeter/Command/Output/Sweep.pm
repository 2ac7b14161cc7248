# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output::Sweep;

# The reports of a sweep or of a published experiment.
#
#   texts(suite, run of kind sweep) -> hash: '' => the text report, '.html' => page, '.csv'
#       => table, '.svg' and others => pictures, as far as they could be drawn
#   plots_of(suite, run, figures of SpawnMeter::Report::Plot) -> [plots of
#       SpawnMeter::Report::HTML], as far as they could be drawn

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Sweep qw(analysis parts);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Command::Output::Published qw(published figures_of);
use SpawnMeter::Report::Explain;
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::Plot;
use SpawnMeter::Report::Plot::Bars qw(bars);
use SpawnMeter::Report::Sweep;
use SpawnMeter::Report::Text;
use SpawnMeter::Util::Format qw(visible_lines);
use SpawnMeter::Util::Gnuplot;

our @EXPORT_OK = qw(texts plots_of);

sub texts {
    my ($suite, $run) = @_;
    my $experiment = experiment_of($suite, $run);
    return texts_of_model($suite, $run) if $run->{sweep}{parts} && !$experiment;
    my $analysis = analysis($run);
    my $figures =
        $experiment
        ? figures_of($experiment, $run, $analysis)
        : SpawnMeter::Report::Plot::figures($run, $analysis);
    my ($pictures, $why) = pictures($suite, $run, $figures);
    my $text = SpawnMeter::Report::Text->new(brief => $suite->{option}{brief})->header($run);
    $text .=
        $experiment
        ? published($suite, $experiment, $run, $analysis)
        : SpawnMeter::Report::Sweep::text($run, $analysis);
    $text .= plot_as_text($run, $analysis, $pictures) if $suite->{option}{ascii};
    $text .= "No plot: $why.\n" if defined $why;
    my %file = map { @{$_}{qw(ending bytes)} } grep { defined $_->{ending} } @{$pictures};
    return (
        %file,
        q{}     => $text,
        '.csv'  => SpawnMeter::Report::Sweep::csv($run, $analysis),
        '.html' => page($run, $text, $figures, \%file),
    );
}

# undef, with a message, also where its file is malformed: its sweep can be shown
sub experiment_of {
    my ($suite, $run) = @_;
    my $experiment =
        eval { SpawnMeter::Catalog::Published::named($suite->{root}, $run->{sweep}{name}) };
    print {*STDERR} 'Run: ', visible_lines($@) if length $@;
    return $experiment;
}

# Of several sweeps that were measured together
sub texts_of_model {
    my ($suite, $run) = @_;
    my $part = parts($run);
    my %of = map { $_ => { run => $part->{$_}, analysis => analysis($part->{$_}) } } keys %{$part};
    my $model = SpawnMeter::Analysis::CostModel::model(\%of);
    my $text = SpawnMeter::Report::Text->new(brief => $suite->{option}{brief})->header($run);
    $text .= SpawnMeter::Report::Explain::render($model);
    $text .= SpawnMeter::Report::Sweep::ending($run);
    my $page = SpawnMeter::Report::HTML->new->render({ %{$run}, scored => [], table => $text });
    return (q{} => $text, '.html' => $page);
}

# -> ([ { ending => of the file, undef for text, bytes } ], reason why one is missing, or undef)
sub pictures {
    my ($suite, $run, $figures) = @_;
    my @pictures;
    for my $figure (@{$figures}) {
        my $text_too = $suite->{option}{ascii} && $figure->{form} eq 'log';
        for my $form ('svg', 'png', $text_too ? 'dumb' : ()) {
            my ($bytes, $why) = SpawnMeter::Util::Gnuplot::draw(
                script    => "$suite->{root}/plots/sweep.gp",
                data      => $figure->{data},
                arguments => [ $form, @{ $figure->{arguments} } ],
            );
            return (\@pictures, $why) if defined $why;
            my $ending = $form eq 'dumb' ? undef : "$figure->{name}.$form";
            push @pictures, { ending => $ending, bytes => $bytes };
        }
    }
    return (\@pictures, undef);
}

# Categories are drawn without gnuplot, whose text has no room for their names
sub plot_as_text {
    my ($run, $analysis, $pictures) = @_;
    my ($drawn) = map { $_->{bytes} } grep { !defined $_->{ending} } @{$pictures};
    return SpawnMeter::Report::Plot::as_text($drawn) if defined $drawn;
    return q{} if !grep { !defined } @{ $run->{sweep}{x} };
    return "\n" . bars($run->{sweep}, $analysis->{points});
}

sub page {
    my ($run, $text, $figures, $file) = @_;
    my $plots = in_page($figures, $file);
    return SpawnMeter::Report::HTML->new->render(
        { %{$run}, scored => [], plots => $plots, table => $text });
}

# The pictures as those of a page
sub in_page {
    my ($figures, $file) = @_;
    return [
        map { {
            title => $_->{caption},
            svg   => SpawnMeter::Report::Plot::in_base64($file->{"$_->{name}.svg"})
        } }
            grep { defined $file->{"$_->{name}.svg"} } @{$figures}
    ];
}

sub plots_of {
    my ($suite, $run, $figures) = @_;
    my ($pictures) = pictures($suite, $run, $figures);
    my %file = map { @{$_}{qw(ending bytes)} } grep { defined $_->{ending} } @{$pictures};
    return in_page($figures, \%file);
}

1;
