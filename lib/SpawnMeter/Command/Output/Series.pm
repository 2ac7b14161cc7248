# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output::Series;

# The reports of a sweep or of a published experiment.
#
#   report(suite, run of kind sweep) -> (text, sub -> page as Report::HTML has it, other files by
#       their ending: the table, and the pictures that could be drawn)
#   described(suite, published experiment) -> text where it is not measured
#   without_passes(suite, experiment, facts) -> run of it in which nothing was measured

use strict;
use warnings;
use Exporter 'import';
use File::Spec ();
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Points qw(beside_published judged_claims unmet analysis);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Explain qw(explained);
use SpawnMeter::Report::Plot    qw(arguments data figure page);
use SpawnMeter::Report::Curve;
use SpawnMeter::Report::Text::Quality qw(ending);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File    qw(read_bytes write_bytes);
use SpawnMeter::Util::Format  qw(visible_lines);
use SpawnMeter::Util::Process qw(output_of);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(described without_passes);

use constant LIMIT => 60;    # seconds, after which gnuplot is killed

sub report {
    my ($suite, $run) = @_;
    return report_of_model($run) if $run->{sweep}{name} eq 'explain';
    my $experiment = experiment_of($suite, $run);
    my $analysis = $experiment ? beside_published($experiment, $run) : analysis($run);
    my @sides = { name => q{}, run => $run, analysis => $analysis };
    my ($text, $claims) = (q{}, []);
    if ($experiment) {
        @sides = @{ $analysis->{sides} };
        $claims = judged_claims($experiment, $analysis, $run->{system} || {});
        $text = SpawnMeter::Report::Curve::published($experiment, $analysis, $claims, $run);
    } else {
        $text = SpawnMeter::Report::Curve::text($run, $analysis);
    }
    my ($file, $why) = pictures($suite, @sides);
    $text .= "No plot: $why.\n" if defined $why;
    my $page = sub { page($experiment, $claims, @sides) };
    return ($text, $page, %{$file}, '.csv' => SpawnMeter::Report::Curve::csv($run, $analysis));
}

# -> the experiment of a sweep, or undef.  Where its file is malformed, which is reported, the sweep
# can still be shown.
sub experiment_of {
    my ($suite, $run) = @_;
    return $suite->{experiment} if $suite->{experiment};
    my $name = $run->{sweep}{name};
    return if $name =~ m{/};
    my $experiment = eval { SpawnMeter::Catalog::Experiments::named($suite->{root}, $name) };
    print {*STDERR} 'Run: ', visible_lines($@) if length $@;
    return $experiment;
}

sub without_passes {
    my ($suite, $experiment, $facts) = @_;
    my @here = ($suite->{catalog}{tests}, $facts->{cpus_usable} || 1);
    my (undef, $head) = SpawnMeter::Catalog::Experiments::cells($experiment, @here);
    return { passes => [], sweep => $head, system => $facts };
}

sub described {
    my ($suite, $experiment) = @_;
    my $facts = SpawnMeter::Machine::Facts::of($suite)->facts;
    my $run = without_passes($suite, $experiment, $facts);
    my $why = unmet($experiment->{needs}, $facts);
    my $points = beside_published($experiment, $run);
    my $claims = judged_claims($experiment, $points, $facts);
    return SpawnMeter::Report::Curve::published($experiment, $points, $claims)
        . (defined $why ? "\nNot measured: $why.\n" : q{});
}

# -> the report of several sweeps that were measured together
sub report_of_model {
    my ($run) = @_;
    my $model = SpawnMeter::Analysis::CostModel::model($run);
    my $text = SpawnMeter::Report::Explain::render($model) . ending($run);
    return ($text, sub { explained($model) });
}

# -> ({ ending of the file => bytes }, reason why one is missing, or undef)
sub pictures {
    my ($suite, @parts) = @_;
    my %file;
    for my $part (@parts) {
        my $figure = figure(@{$part}{qw(run analysis)}) or next;
        my $before = length $part->{name} ? "-$part->{name}" : q{};
        for my $form (qw(svg png)) {
            $file{"$before.$form"} = eval { draw($figure, $form, "$suite->{root}/plots/sweep.gp") }
                // return (\%file, $@ =~ s/\n\z//r);
        }
    }
    return \%file;
}

# Draws by gnuplot -> bytes of the picture; dies with the reason where there is none
sub draw {
    my ($figure, $terminal, $script) = @_;
    my $gnuplot = SpawnMeter::Util::Programs::found('gnuplot') // die "gnuplot is not installed\n";
    my $folder = SpawnMeter::Util::Cleanup::temporary(File::Spec->tmpdir);
    my ($data, $out) = ("$folder/data", "$folder/picture");
    write_bytes($data, data($figure));
    local %ENV = (%ENV, LC_ALL => 'C', HOME => "$folder");
    my @line = ($gnuplot, '-c', $script, $data, $out, $terminal, arguments($figure));
    my ($status, $words) = output_of({ line => \@line, seconds => LIMIT });
    my $picture = read_bytes($out);
    return $picture if $status == 0 && length($picture // q{});
    my ($first) = grep { /\S/ && !/^\s*\^/ } split /\n/, $words;
    die join(': ', 'gnuplot failed', $first // ()), "\n";
}

1;
