# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Costs;

# Where the time of one creation goes, as pictures and tables of a page.
#
#   explained(model of Analysis::CostModel) -> HTML: conclusions, the parts of a creation as
#       stacked bars, the cost model as a table
#   parts(model) -> picture of Report::Chart of these bars; undef where no part is known
#   traced(method, [phases as Command::Trace has them]) -> HTML: the timelines of parent and child,
#       one above the other, and the phases as a table
#   description(model) -> a sentence for previews of links

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(max);
use SpawnMeter::Report::Chart          qw(INKS rows);
use SpawnMeter::Report::Scale          qw(time_scale);
use SpawnMeter::Report::Escape         qw(html prose);
use SpawnMeter::Report::Explain        qw(conclusions term);
use SpawnMeter::Report::HTML::Pictures qw(figure);
use SpawnMeter::Report::HTML::Page     qw(simple_table);
use SpawnMeter::Util::Format           qw(duration signed_duration);

our @EXPORT_OK = qw(explained parts traced description);

# ---- explain ----

sub explained {
    my ($model) = @_;
    my $list = join q{}, map { '<li>' . prose($_) . "</li>\n" } conclusions($model);
    my $html = "<h2 id=\"conclusions\">Conclusions</h2>\n<ul>\n$list</ul>\n";
    my $parts = parts($model);
    return $html . cost_model($model) if !$parts;
    my $caption =
          'By posix_spawn, with the time stamps of the program that it starts; and by vfork with '
        . 'exec, measuring more and more of it. Medians, so the parts are approximate.';
    $html .=
        "<h2 id=\"parts\">Where the time of one process goes</h2>\n" . figure($parts, $caption);
    return $html . cost_model($model);
}

sub description {
    my ($model) = @_;
    return (conclusions($model))[0];
}

sub parts {
    my ($model) = @_;
    my ($stamps, $steps) = @{ $model->{parts} }{qw(stamps steps)};
    my @sides;
    push @sides, [ 'posix_spawn, stamped', in_a_row(@{$stamps}) ] if $stamps;
    push @sides, [ 'vfork and exec, step by step', in_a_row(@{$steps}) ] if $steps;
    return @sides ? timelines('Where the time of one process goes', @sides) : undef;
}

# Each part begins where the one before it ends
sub in_a_row {
    my (@parts) = @_;
    my $from = 0;
    return [
        map {
            my $begin = $from;
            $from += $_->{us};
            { words => $_->{words}, from => $begin, to => $from }
        } @parts
    ];
}

# [head, [ { words, from, to } ]] ... -> picture: of each the whole as one bar of many colours, and
# below it each part in its place
sub timelines {
    my ($what, @sides) = @_;
    my @all = map { @{ $_->[1] } } @sides;
    my $scale = time_scale([ map { $_->{to} } @all ], 0, 3);
    my (@rows, @alt);
    for my $side (@sides) {
        my ($head, $parts) = @{$side};
        my $total = max(map { $_->{to} } @{$parts});
        push @rows, { head => $head },
            {
            name  => 'all',
            text  => duration($total),
            marks => [ map { part($parts->[$_], $_) } 0 .. $#{$parts} ]
            },
            map { {
            name  => $parts->[$_]{words},
            text  => length_of($parts->[$_], $total),
            marks => [ part($parts->[$_], $_) ]
            } } 0 .. $#{$parts};
        push @alt, "$head: " . join ', ', map { "$_->{words} " . length_of($_, $total) } @{$parts};
    }
    return rows(
        alt     => "$what. " . join('; ', @alt),
        scale   => $scale,
        rows    => \@rows,
        columns => [ 38, 26 ],
        words   => 'Time since the call; shorter is better'
    );
}

sub part {
    my ($part, $ink) = @_;
    return {
        bar   => [ @{$part}{qw(from to)} ],
        class => 'k' . $ink % INKS,
        title => $part->{words}
    };
}

sub length_of {
    my ($part, $total) = @_;
    my $us = $part->{to} - $part->{from};
    return duration($us) . sprintf ' (%.0f %%)', 100 * $us / ($total || 1);
}

sub cost_model {
    my ($model) = @_;
    my @rows;
    for my $of (@{ $model->{methods} }) {
        push @rows, [ $of->{method}, 'base', duration($of->{base}), q{} ];
        push @rows, map { [ $of->{method}, $_->{words}, term($_) ] } @{ $of->{terms} };
    }
    push @rows,
        map { [ $_->{target}, 'as target of vfork and exec', duration($_->{us}), q{} ] }
        @{ $model->{targets} };
    my @missing = @{ $model->{missing} };
    my $missing = @missing ? html("Not measured: @missing. ") : q{};
    return
          "<h2 id=\"cost-model\">Cost model</h2>\n"
        . '<p class="soft">One process takes the base time plus these terms. none: under 5 % of '
        . "the base time; unknown: the interval allows both that and more. $missing</p>\n"
        . simple_table([ 'Method', 'Term', 'Time', '95 %' ], @rows) =~ s/sortable/sortable text/r;
}

# ---- trace ----

my %TO = (
    'call to return in the parent'           => 'returned',
    'call to first instruction in the child' => 'child',
    "call to the target's first instruction" => 'first',
    'call to main()'                         => 'main',
    'total'                                  => 'waited',
);

# [where it ends, what it is, where it begins, and how long it takes, where no phase has its end]
my @OF_CHILD = (
    [ 'child', 'until the child runs' ],
    [ 'leaves', "the child's own code", child => "the child's own time" ],
    [ 'first', 'to first instruction' ],
    [ 'entry', 'dynamic loader', first => 'dynamic loader' ],
    [ 'main', 'C library starts' ],
    [ 'waited', 'exit and wait' ],
);

sub traced {
    my ($method, $phases) = @_;
    my %p50 = map { $_->{name} => $_->{p50} } @{$phases};
    my %at = map { $TO{$_} => $p50{$_} } grep { defined $p50{$_} } keys %TO;
    for my $part (@OF_CHILD) {
        my ($end, undef, $begin, $name) = @{$part};
        $at{$end} = $at{$begin} + $p50{$name}
            if defined $name && defined $p50{$name} && defined $at{$begin};
    }
    my @rows =
        map { [ $_->{name}, map { signed_duration($_) } @{$_}{qw(p50 p90 p99)} ] } @{$phases};
    my $table = simple_table([ 'Phase', 'Median', '90 %', '99 %' ], @rows);
    my @sides = sides(\%at);
    my $picture =
        @sides
        ? figure(timelines("Timelines of one $method", @sides),
        'Parent and child from the call on, by medians; the phases overlap where both run.')
        : q{};
    return '<h2 id="phases">' . html("Time of one $method") . "</h2>\n$picture$table";
}

sub sides {
    my ($at) = @_;
    return if !defined $at->{waited};
    my @parent =
        places($at, [ returned => 'the creating call' ], [ waited => 'waits for the child' ]);
    my @child = places($at, @OF_CHILD);
    return (@parent > 1 ? [ 'Parent', \@parent ] : (), @child > 1 ? [ 'Child', \@child ] : ());
}

# Of those ends that are known; one before the end that precedes it has no length
sub places {
    my ($at, @ends) = @_;
    my ($from, @parts) = (0);
    for my $end (grep { defined $at->{ $_->[0] } } @ends) {
        my $to = max($from, $at->{ $end->[0] });
        push @parts, { words => $end->[1], from => $from, to => $to };
        $from = $to;
    }
    return @parts;
}

1;
