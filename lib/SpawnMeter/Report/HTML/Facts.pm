# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Facts;

# facts(run) -> HTML: a table of the build, the settings and the facts of the machine

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape     qw(html);
use SpawnMeter::Report::Facts      qw(facts_in_words);
use SpawnMeter::Report::Text::Head qw(protocol);

our @EXPORT_OK = qw(facts);

sub facts {
    my ($run) = @_;
    my ($system, $settings) = map { $_ || {} } @{$run}{qw(system protocol)};
    my @rows = (
        map({ row('Build', $_) } @{ $run->{build}          || [] }),
        map({ row('Condition', $_) } @{ $run->{conditions} || [] }),
        $run->{printed} || !$run->{protocol} ? () : row('Measured', ucfirst protocol($settings)),
        map({ row(@{$_}) } facts_in_words($system)),
    );
    my $table = join q{}, qq{<table class="fact"><tbody>\n}, @rows, "</tbody></table>\n";
    return "<h2>Settings and machine</h2>\n$table";
}

sub row {
    my ($name, $value) = @_;
    return '<tr><td>' . html($name) . '</td><td>' . html($value) . "</td></tr>\n";
}

1;
