# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output::Series;

# The reports of a sweep or of a published experiment.
#
#   report(suite, run of kind sweep) -> (sub -> text, sub -> page as Report::HTML has it, other
#       files by their ending: the table, and subs that draw pictures by gnuplot)
#   described(suite, published experiment) -> text where it is not measured
#   without_passes(suite, experiment, facts) -> run of it in which nothing was measured

use strict;
use warnings;
use Exporter 'import';
use File::Spec ();
use POSIX      ();
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Points   qw(beside_published judged_claims unmet analysis);
use SpawnMeter::Analysis::Quantity qw(words_of);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Explain qw(explained);
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
    my $claims = [];
    my $text = sub {
        my %sweep = (%{ $run->{sweep} }, width => $_[0]);
        return SpawnMeter::Report::Curve::text({ %{$run}, sweep => \%sweep }, $analysis);
    };
    if ($experiment) {
        @sides = @{ $analysis->{sides} };
        $claims = judged_claims($experiment, $analysis, $run->{system} || {});
        my $words = SpawnMeter::Report::Curve::published($experiment, $analysis, $claims, $run);
        $text = sub { $words };
    }
    my $page = sub { SpawnMeter::Report::Curve::page($experiment, $claims, @sides) };
    my %file = ('.csv' => sub { SpawnMeter::Report::Curve::csv($run, $analysis) });
    for my $side (@sides) {
        my $ending = length $side->{name} ? "-$side->{name}.png" : '.png';
        $file{$ending} = sub { picture($suite, $side) };
    }
    return ($text, $page, %file);
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
    my $text =
        sub { SpawnMeter::Report::Explain::render({ %{$model}, width => $_[0] }) . ending($run) };
    return ($text, sub { explained($model) });
}

# -> bytes of a PNG; undef without gnuplot, or where it fails, which is reported
sub picture {
    my ($suite, $side) = @_;
    my ($run, $analysis) = @{$side}{qw(run analysis)};
    my $gnuplot = SpawnMeter::Util::Programs::found('gnuplot') or return;
    return if !grep { defined $_->{time_us} } map { values %{$_} } values %{ $analysis->{points} };
    my $folder = SpawnMeter::Util::Cleanup::temporary(File::Spec->tmpdir);
    my ($data, $out) = ("$folder/data", "$folder/picture");

    # in a text of its data gnuplot takes a backslash as the beginning of an escape
    write_bytes($data, SpawnMeter::Report::Curve::csv($run, $analysis) =~ s/\\/\\\\/gr);
    local %ENV = (%ENV, LC_ALL => 'C', HOME => "$folder");
    my @line = ($gnuplot, '-c', "$suite->{root}/plots/sweep.gp", $data, $out, arguments($run));
    my ($status, $words) = output_of({ line => \@line, seconds => LIMIT });
    my $picture = read_bytes($out);
    return $picture if $status == 0 && length($picture // q{});
    print {*STDERR} 'Run: no picture by gnuplot: ', visible_lines($words);
    return;
}

# What plots/sweep.gp takes beside the CSV of the sweep
sub arguments {
    my ($run) = @_;
    my ($sweep, $system) = ($run->{sweep}, $run->{system} || {});
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my $date = $run->{started} && POSIX::strftime('%Y-%m-%d', gmtime $run->{started});
    my $under = join ', ', grep { $_ } $run->{host}, $system->{cpu_model}, $kernel, $date;
    my $form = (grep { !defined } @{ $sweep->{x} }) ? 'names' : 'numbers';
    my @axes = ($sweep->{axis}, words_of($sweep->{quantity}));
    return ($sweep->{title}, $under, @axes, scalar @{ $sweep->{series} }, $form);
}

1;
