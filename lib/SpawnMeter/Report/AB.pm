# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB;

# An ab run in one of its forms.
#
#   render(form, summary of Analysis::AB, run, brief => true for a text without explanations)
#       -> text.  form: text (72 columns, for mails), markdown, csv or json

use strict;
use warnings;
use SpawnMeter::Report::AB::JSON;
use SpawnMeter::Report::AB::Markdown;
use SpawnMeter::Report::AB::Text;

my %RENDER = (
    text     => \&SpawnMeter::Report::AB::Text::render,
    markdown => \&SpawnMeter::Report::AB::Markdown::render,
    csv      => \&SpawnMeter::Report::AB::JSON::table,
    json     => \&SpawnMeter::Report::AB::JSON::render,
);

sub render {
    my ($form, @arguments) = @_;
    return $RENDER{$form}->(@arguments);
}

1;
