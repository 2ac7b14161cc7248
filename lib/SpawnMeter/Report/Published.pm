# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Published;

# A published experiment beside its repetition.
#
#   text(experiment, run, analysis of the sweep, side by side => parts of
#       SpawnMeter::Analysis::Published, figures => of its form or undef, claims => of
#       SpawnMeter::Analysis::Published::Claims) -> text
#   described(experiment, parts, claims) -> the same where nothing was measured

use strict;
use warnings;
use SpawnMeter::Report::Published::Claims qw(claims);
use SpawnMeter::Report::Published::Forms  qw(form);
use SpawnMeter::Report::Published::Table  qw(tables source also);
use SpawnMeter::Report::Sweep;
use SpawnMeter::Util::Format qw(visible);

sub text {
    my ($experiment, $run, $analysis, %with) = @_;
    my $text = heading($experiment);
    $text .=
        defined $experiment->{form}
        ? form($experiment->{form}, $run, $with{figures})
        : source($experiment) . tables($experiment, $with{parts}) . also($experiment);
    $text .= claims($with{claims});
    if ($run->{notes}) {
        $text .= "\n" . join q{}, map { visible($_) . "\n" } map { split /\n/ } @{ $run->{notes} };
    }
    return
          $text
        . SpawnMeter::Report::Sweep::trouble($run->{sweep}, $analysis->{points})
        . SpawnMeter::Report::Sweep::ending($run);
}

sub described {
    my ($experiment, %with) = @_;
    return
          heading($experiment)
        . source($experiment)
        . tables($experiment, $with{parts})
        . also($experiment)
        . claims($with{claims});
}

sub heading { my ($experiment) = @_; return q{-} x 72 . "\n$experiment->{title}\n\n" }

1;
