package SpawnMeter::Report::Plot;

# A sweep's CSV as a picture, by gnuplot and plots/sweep.gp.
#
#   render({ root, csv => text, title, axis, series => number, scale => 'names', 'log'
#       or 'linear', zero => where 0 stands on a log axis }, 'svg', 'png' or 'dumb') ->
#       (picture, undef) or (undef, why there is none)

use strict;
use warnings;
use File::Spec ();
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

use constant LIMIT => 60;    # seconds, after which gnuplot is killed

sub render {
    my ($plot, $form) = @_;
    my $gnuplot = SpawnMeter::Util::Programs::found('gnuplot');
    return (undef, 'gnuplot is not installed') if !defined $gnuplot;
    my $folder = SpawnMeter::Util::Cleanup::temporary(File::Spec->tmpdir);
    open my $out, '>', "$folder/csv" or return (undef, "$folder: $!");
    print {$out} $plot->{csv};
    close $out or return (undef, "$folder: $!");
    local %ENV = (%ENV, LC_ALL => 'C', HOME => "$folder");
    my ($status, $words) = SpawnMeter::Util::Process::output_of({
        line => [
            $gnuplot, '-c',
            "$plot->{root}/plots/sweep.gp", "$folder/csv",
            "$folder/picture", $form,
            @{$plot}{qw(title axis series scale zero)}
        ],
        seconds => LIMIT,
    });
    my $picture = read_whole("$folder/picture");
    return ($picture, undef) if $status == 0 && defined $picture && length $picture;
    my ($first) = grep { /\S/ && !/^\s*\^/ } split /\n/, $words;
    return (undef, 'gnuplot failed' . (defined $first ? ": $first" : q{}));
}

sub read_whole {
    my ($path) = @_;
    open my $in, '<:raw', $path or return;
    local $/ = undef;
    my $all = <$in>;
    close $in or return;
    return $all;
}

1;
