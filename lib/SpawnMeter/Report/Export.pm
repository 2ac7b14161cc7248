# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export;

# Runs in the formats that other tools read; one module for each format.
#
#   formats() -> their names
#   problem(format, export, ...) -> undef, or why the format cannot hold these runs
#   render(format, export, ...) -> text
#
# An export is { run => run record, name, passes => those of Analysis::Passes::judged,
# blocks => scored ones of Analysis::Results, for a sweep none }.

use strict;
use warnings;
use SpawnMeter::Report::Export::Benchfmt;
use SpawnMeter::Report::Export::BMF;
use SpawnMeter::Report::Export::GAB;
use SpawnMeter::Report::Export::JSON;
use SpawnMeter::Report::Export::LAVA;
use SpawnMeter::Report::Export::LKP;
use SpawnMeter::Report::Export::Prometheus;
use SpawnMeter::Report::Export::SQL;
use SpawnMeter::Util::Format qw(visible);

# kinds: that it holds; many: true where it can hold more than one run; passes: true where it
# consists of passes
my $TESTS = [qw(run imported)];
my $ALL = [qw(run imported sweep equals ab)];
my %FORMAT = (
    benchfmt => {
        render => \&SpawnMeter::Report::Export::Benchfmt::render,
        kinds  => $ALL,
        many   => 1,
        passes => 1,
    },
    bmf        => { render => \&SpawnMeter::Report::Export::BMF::render, kinds        => $TESTS },
    gab        => { render => \&SpawnMeter::Report::Export::GAB::render, kinds        => $TESTS },
    json       => { render => \&SpawnMeter::Report::Export::JSON::render, kinds       => $ALL },
    lava       => { render => \&SpawnMeter::Report::Export::LAVA::render, kinds       => $TESTS },
    lkp        => { render => \&SpawnMeter::Report::Export::LKP::render, kinds        => $TESTS },
    prometheus => { render => \&SpawnMeter::Report::Export::Prometheus::render, kinds => $TESTS },
    sql        => { render => \&SpawnMeter::Report::Export::SQL::render, kinds => $ALL, many => 1 },
);

my %KIND = (
    run      => 'a run',
    imported => 'a posted report',
    sweep    => 'a sweep',
    equals   => 'an A/A run',
    ab       => 'an A/B run',
);

sub formats { return sort keys %FORMAT }

sub problem {
    my ($name, @exports) = @_;
    my $format = $FORMAT{$name};
    return
          "$name holds one run, got "
        . scalar(@exports) . '; '
        . listed(grep { $FORMAT{$_}{many} } formats())
        . ' hold several'
        if @exports > 1 && !$format->{many};
    for my $export (@exports) {
        my $run = $export->{run};
        my $kind = $run->{kind} || 'run';
        my $shown = visible($export->{name});
        return
            "$name cannot hold $KIND{$kind} ($shown); "
            . listed(grep { holds($_, $kind) } formats()) . ' can'
            if !holds($name, $kind);
        return "$shown has no passes, and $name consists of passes"
            if $format->{passes} && !@{ $run->{passes} };
    }
    return;
}

sub holds {
    my ($name, $kind) = @_;
    return grep { $_ eq $kind } @{ $FORMAT{$name}{kinds} };
}

# "a, b and c"
sub listed {
    my (@names) = @_;
    my $last = pop @names;
    return @names ? join(', ', @names) . " and $last" : $last;
}

sub render {
    my ($name, @exports) = @_;
    return $FORMAT{$name}{render}->(@exports);
}

1;
