# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output::Sweep;

# The reports of a sweep or of a published experiment.
#
#   texts(suite, run of kind sweep) -> hash: '' => the text report, '.html' => page, '.csv'
#       => table, '.svg' and others => pictures, as far as they could be drawn
#   described(suite, published experiment, facts of the machine) -> text where it is not measured
#   figures_of(parts { name, run, analysis }) -> [figures of Report::Plot]
#   facts_here(suite) -> { fact => value } of the machine
#   without_passes(suite, experiment, facts) -> run of it in which nothing was measured

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Points qw(found judged unmet analysis parts);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Explain;
use SpawnMeter::Report::HTML;
use SpawnMeter::Report::HTML::Costs qw(description explained);
use SpawnMeter::Report::HTML::Sweep qw(answer claims swept);
use SpawnMeter::Report::Plot        qw(bars);
use SpawnMeter::Report::Published;
use SpawnMeter::Report::Sweep;
use SpawnMeter::Report::Text;
use SpawnMeter::Util::Format qw(visible_lines);

our @EXPORT_OK = qw(texts described facts_here without_passes);

sub texts {
    my ($suite, $run) = @_;
    return texts_of_model($suite, $run) if $run->{sweep}{name} eq 'explain';
    my $experiment = experiment_of($suite, $run);
    my $found = $experiment ? found($experiment, $run) : undef;
    my $analysis = $found || analysis($run);
    my @sides =
        $found ? @{ $found->{sides} } : { name => q{}, run => $run, analysis => $analysis };
    my $figures = figures_of(@sides);
    my $claims = $found ? judged($experiment, $found, $run->{system} || {}) : [];
    my ($pictures, $why) = pictures($suite, $run, $figures);
    my $text = SpawnMeter::Report::Text->new(brief => $suite->{option}{brief})->header($run);
    $text .=
        $found
        ? published($experiment, $run, $found, $claims)
        : SpawnMeter::Report::Sweep::text($run, $analysis);
    $text .= plot_as_text($run, $analysis, $pictures) if $suite->{option}{ascii};
    $text .= "No plot: $why.\n" if defined $why;
    my %file = map { @{$_}{qw(ending bytes)} } grep { defined $_->{ending} } @{$pictures};
    my $about = @sides ? answer(@{ $sides[0] }{qw(run analysis)}) : $experiment->{title};
    my $page = page($suite, $run, $text, claims($claims) . swept($figures, \@sides), $about);
    my $csv = SpawnMeter::Report::Sweep::csv($run, $analysis);
    return (%file, q{} => $text, '.csv' => $csv, '.html' => $page);
}

sub published {
    my ($experiment, $run, $found, $claims) = @_;
    return
          SpawnMeter::Report::Published::text($experiment, $found, $claims)
        . SpawnMeter::Report::Sweep::trouble($run->{sweep}, $found->{points})
        . SpawnMeter::Report::Sweep::ending($run);
}

# undef, with a message, also where its file is malformed: its sweep can be shown
sub experiment_of {
    my ($suite, $run) = @_;
    return $suite->{experiment} if $suite->{experiment};
    my $name = $run->{sweep}{name};
    my $experiment = eval {
        $name =~ m{/} ? undef : SpawnMeter::Catalog::Experiments::named($suite->{root}, $name);
    };
    print {*STDERR} 'Run: ', visible_lines($@) if length $@;
    return $experiment;
}

sub facts_here {
    my ($suite) = @_;
    return SpawnMeter::Machine::Facts->new(map { $_ => $suite->{$_} } qw(binaries tmp))->facts;
}

sub without_passes {
    my ($suite, $experiment, $facts) = @_;
    my (undef, $head) = SpawnMeter::Catalog::Experiments::cells(
        $experiment,
        $suite->{catalog}{tests},
        $facts->{cpus_usable} || 1
    );
    return { passes => [], sweep => $head, system => $facts };
}

sub described {
    my ($suite, $experiment, $facts) = @_;
    my $run = without_passes($suite, $experiment, $facts);
    my $why = unmet($experiment->{needs}, $facts);
    my $found = found($experiment, $run);
    my $claims = judged($experiment, $found, $facts);
    return SpawnMeter::Report::Published::text($experiment, $found, $claims)
        . (defined $why ? "\nNot measured: $why.\n" : q{});
}

# Those of each part, whose names begin with that of the part
sub figures_of {
    my (@sides) = @_;
    my @figures;
    for my $side (@sides) {
        my $name = length $side->{name} ? "-$side->{name}" : q{};
        push @figures,
            map { { %{$_}, name => "$name$_->{name}" } }
            @{ SpawnMeter::Report::Plot::figures(@{$side}{qw(run analysis)}) };
    }
    return \@figures;
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
    my $page = page($suite, $run, $text, explained($model), description($model));
    return (q{} => $text, '.html' => $page);
}

# -> ([ { ending => of the file, undef for text, bytes } ], reason why one is missing, or undef)
sub pictures {
    my ($suite, $run, $figures) = @_;
    my @pictures;
    for my $figure (@{$figures}) {
        my $text_too = $suite->{option}{ascii} && $figure->{form} eq 'log';
        for my $form ('svg', 'png', $text_too ? 'dumb' : ()) {
            my ($bytes, $why) = SpawnMeter::Report::Plot::draw(
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

# pictures: as HTML; about: a sentence for previews of links
sub page {
    my ($suite, $run, $text, $pictures, $about) = @_;
    return SpawnMeter::Report::HTML::pictured(
        $run,
        text      => $text,
        pictures  => $pictures,
        about     => $about,
        stored_as => $suite->{stored_as}
    );
}

1;
