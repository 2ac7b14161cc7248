# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output::Sweep;

# The reports of a sweep or of a published experiment.
#
#   texts(suite, run of kind sweep) -> hash: '' => the text report, '.html' => page, '.csv'
#       => table, '.svg' and others => pictures, as far as they could be drawn

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Published qw(figures_beside times_us);
use SpawnMeter::Analysis::Sweep     qw(analysis parts);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Report::Explain;
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::Plot;
use SpawnMeter::Report::Plot::Bars qw(bars);
use SpawnMeter::Report::Published;
use SpawnMeter::Report::Sweep;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Gnuplot;

our @EXPORT_OK = qw(texts);

sub texts {
    my ($suite, $run) = @_;
    return texts_of_model($suite, $run) if $run->{sweep}{parts};
    my $analysis = analysis($run);
    my $experiment = SpawnMeter::Catalog::Published::named($run->{sweep}{name});
    my @references = references($suite, $experiment);
    my $published = $experiment
        && times_us($experiment->{name}, $run, @references);
    my $figures = SpawnMeter::Report::Plot::figures($run, $analysis, $published);
    my ($pictures, $why) = pictures($suite, $run, $figures);
    my $text = SpawnMeter::Report::Text->new(brief => $suite->{option}{brief})->header($run);
    $text .=
        $experiment
        ? published($experiment, $run, $analysis, @references)
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

sub published {
    my ($experiment, $run, $analysis, @references) = @_;
    my $figures = figures_beside($experiment->{name}, $run, @references);
    return SpawnMeter::Report::Published::text($experiment, $run, $analysis, $figures);
}

sub references {
    my ($suite, $experiment) = @_;
    return if !$experiment;
    return
        map { SpawnMeter::Store::RunFile::load("$suite->{root}/results/reference/$_.json") }
        @{ $experiment->{references} };
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
    my @plots =
        map { {
        title => $_->{caption},
        svg   => SpawnMeter::Report::Plot::in_base64($file->{"$_->{name}.svg"})
        } }
        grep { defined $file->{"$_->{name}.svg"} } @{$figures};
    return SpawnMeter::Report::HTML->new->render(
        { %{$run}, scored => [], plots => \@plots, table => $text });
}

1;
