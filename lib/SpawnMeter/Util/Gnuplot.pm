# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Gnuplot;

# Pictures made by gnuplot.
#
#   draw(script => path, data => text, arguments => [list]) -> (bytes of the picture, undef)
#       or (undef, reason).  The script's arguments are the path of the data, the path of the
#       picture to write, and those of the call

use strict;
use warnings;
use File::Spec ();
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File qw(read_bytes write_bytes);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

use constant LIMIT => 60;    # seconds, after which gnuplot is killed

sub draw {
    my (%with) = @_;
    my $gnuplot = SpawnMeter::Util::Programs::found('gnuplot');
    return (undef, 'gnuplot is not installed') if !defined $gnuplot;
    my $folder = SpawnMeter::Util::Cleanup::temporary(File::Spec->tmpdir);
    if (!eval { write_bytes("$folder/data", $with{data}); 1 }) {
        return (undef, $@ =~ s/\n\z//r);
    }
    local %ENV = (%ENV, LC_ALL => 'C', HOME => "$folder");
    my ($status, $words) = SpawnMeter::Util::Process::output_of({
        line => [
            $gnuplot, '-c', $with{script}, "$folder/data",
            "$folder/picture", @{ $with{arguments} }
        ],
        seconds => LIMIT,
    });
    my $picture = read_bytes("$folder/picture");
    return ($picture, undef) if $status == 0 && defined $picture && length $picture;
    my ($first) = grep { /\S/ && !/^\s*\^/ } split /\n/, $words;
    return (undef, 'gnuplot failed' . (defined $first ? ": $first" : q{}));
}

1;
