# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare;

# A comparison in one of its forms.
#
#   render(comparison record of SpawnMeter::Analysis::Record, form) -> text
#       form: text (72 columns, for mails), markdown, csv, json, or html of a comparison with
#       a ranking
#
# A machine, a pair and a difference are those of SpawnMeter::Analysis::Comparison.

use strict;
use warnings;
use SpawnMeter::Report::Compare::CSV;
use SpawnMeter::Report::Compare::JSON;
use SpawnMeter::Report::Compare::Markdown;
use SpawnMeter::Report::Compare::Text;
use SpawnMeter::Report::HTML::Many;

my %RENDER = (
    text     => \&SpawnMeter::Report::Compare::Text::render,
    markdown => \&SpawnMeter::Report::Compare::Markdown::render,
    csv      => \&SpawnMeter::Report::Compare::CSV::render,
    json     => \&SpawnMeter::Report::Compare::JSON::render,
    html     => \&SpawnMeter::Report::HTML::Many::render,
);

sub new { my ($class) = @_; return bless {}, $class }

sub render {
    my ($self, $comparison, $form) = @_;
    return $RENDER{$form}->($comparison);
}

1;
