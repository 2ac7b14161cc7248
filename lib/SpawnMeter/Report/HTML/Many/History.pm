# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many::History;

# render([histories of Analysis::History]) -> HTML: a page with each machine's changes of level
# as a table, and each test as a picture: from left to right its runs, each with its interval, a
# line for each level, and a broken line where the level changed.

use strict;
use warnings;
use List::Util                              qw(min max);
use SpawnMeter::Analysis::ChangePoints      qw(FEWEST);
use SpawnMeter::Report::Compare::Parts      qw(change difference);
use SpawnMeter::Report::Escape              qw(html);
use SpawnMeter::Report::HTML::Many::Address qw(linked);
use SpawnMeter::Report::HTML::Many::Frame   qw(frame section);
use SpawnMeter::Report::History::Words      qw(day confidence);
use SpawnMeter::Util::Format                qw(copies rate);

# In units of the picture
use constant {
    WIDTH  => 340,
    HEIGHT => 112,
    LEFT   => 8,
    RIGHT  => 332,
    TOP    => 16,
    BOTTOM => 92,
    ROOM   => 0.05,    # of the range of the values, above and below
};

my $MEANING = 'A dot is a run, the line through it its 95 % interval; a thick line is a level, a '
    . 'broken one a change of level. The axis does not begin at 0.';

sub render {
    my ($histories) = @_;
    my $number = @{$histories};
    my $title =
        $number == 1
        ? "SpawnMeter: history of $histories->[0]{name}"
        : "SpawnMeter: histories of $number machines";
    my $body = '<h1>' . html($title) . "</h1>\n";
    $body .= '<p class="soft">' . html($MEANING) . "</p>\n";
    $body .= history($_, $number) for @{$histories};
    return frame($title, $body);
}

sub history {
    my ($history, $number) = @_;
    my @runs = @{ $history->{runs} };
    my $name = $number > 1 ? "$history->{name}: " : q{};
    my $html = changes($name, $history);
    my $copies;
    for my $test (@{ $history->{tests} }) {
        if (!defined $copies || $copies != $test->{copies}) {
            $html .= "</div>\n" if defined $copies;
            $copies = $test->{copies};
            $html .= '<h2>' . html($name . copies($copies)) . qq{</h2>\n<div class="plots">\n};
        }
        $html .= figure($test, @runs);
    }
    $html .= "</div>\n" if defined $copies;
    return $html . runs($name, @runs);
}

sub changes {
    my ($name, $history) = @_;
    my @runs = @{ $history->{runs} };
    my $title = length $name ? "${name}changes of level" : 'Changes of level';
    my $why =
        @runs < FEWEST
        ? 'Too few runs to find one: at least ' . FEWEST . ' are needed.'
        : 'None was found.';
    return '<h2>' . html($title) . '</h2><p>' . html($why) . "</p>\n"
        if !@{ $history->{places} };
    my $rows = q{};
    for my $place (@{ $history->{places} }) {
        my $found = $place->{differences};
        my $differences = join '<br>', map { html(difference($_)) } @{ $found->{incomparable} },
            @{ $found->{notable} };
        $rows .= row($_, $differences, @runs) for @{ $place->{changes} };
    }
    my @heads = (
        'Date', 'First run', 'Test', 'Copies', 'Before', 'After', 'Change', '95 %',
        'Confidence', 'What changed on the machine'
    );
    return section($title, \@heads, $rows, class => 'text');
}

sub row {
    my ($change, $differences, @runs) = @_;
    my $run = $runs[ $change->{at} ];
    my @cells = (
        cell(day($run), html(day($run))),
        cell($run->{name}, linked($run->{name}, $run->{page})),
        cell($change->{title}, html($change->{title})),
        cell($change->{copies}, html($change->{copies})),
        map({ cell($change->{$_}, html(rate($change->{$_}, $change->{unit}))) } qw(old new)),
        cell($change->{ratio}, html(change($change->{ratio}))),
        '<td>' . html(join ' to ', map { change($_) } @{$change}{qw(low high)}) . '</td>',
        cell(1 - $change->{p}, html(confidence($change))),
        '<td>' . (length $differences ? $differences : 'nothing that is known') . '</td>',
    );
    return '<tr>' . join(q{}, @cells) . "</tr>\n";
}

sub cell { my ($value, $html) = @_; return '<td data-value="' . html($value) . qq{">$html</td>} }

sub figure {
    my ($test, @runs) = @_;
    my @points = @{ $test->{points} };
    my @values = map {
        grep { defined }
            @{$_}{qw(value low high)}
    } @points;
    my ($low, $high) = (min(@values), max(@values));
    my $room = ($high - $low) * ROOM || $high * ROOM || 1;
    my ($from, $to) = (max(0, $low - $room), $high + $room);
    my $steps = max(1, $#runs);
    my $x = sub { return sprintf '%.1f', LEFT + (RIGHT - LEFT) * $_[0] / $steps };
    my $y =
        sub { return sprintf '%.1f', BOTTOM - (BOTTOM - TOP) * ($_[0] - $from) / ($to - $from) };
    my $label = html("$test->{title}: results of the runs in order of time");
    my $svg = sprintf '<svg viewBox="0 0 %d %d" role="img" aria-label="%s">', WIDTH, HEIGHT, $label;
    $svg .= line('axis', LEFT, BOTTOM, RIGHT, BOTTOM);
    $svg .= line('change', ($x->($_->{at} - 0.5), TOP, $x->($_->{at} - 0.5), BOTTOM))
        for @{ $test->{changes} };
    $svg .= line('level', $x->($_->{from}), $y->($_->{value}), $x->($_->{to}), $y->($_->{value}))
        for @{ $test->{levels} };
    $svg .= point($_, $x->($_->{run}), $y, $runs[ $_->{run} ]) for @points;
    $svg .= text(LEFT, TOP - 4, 'start', 'to ' . rate($to, $test->{unit}));
    $svg .= text(LEFT, BOTTOM + 14, 'start', day($runs[0]));
    $svg .= text(RIGHT, BOTTOM + 14, 'end', day($runs[-1]));
    $svg .=
        text(WIDTH / 2, BOTTOM + 14, 'middle', 'from ' . rate($from, $test->{unit}));
    return "<figure>$svg</svg><figcaption>" . html($test->{title}) . "</figcaption></figure>\n";
}

sub line {
    my ($class, @ends) = @_;
    return sprintf '<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>', $class, @ends;
}

sub point {
    my ($point, $x, $y, $run) = @_;
    my $svg = '<title>' . html("$run->{name}, " . day($run)) . '</title>';
    $svg .= line('range', $x, $y->($point->{low}), $x, $y->($point->{high}))
        if defined $point->{low} && defined $point->{high};
    return "<g>$svg" . sprintf '<circle class="point" cx="%s" cy="%s" r="2.4"/></g>', $x,
        $y->($point->{value});
}

sub text {
    my ($x, $y, $anchor, $text) = @_;
    return sprintf '<text x="%d" y="%d" text-anchor="%s">%s</text>', $x, $y, $anchor, html($text);
}

sub runs {
    my ($name, @runs) = @_;
    my $rows = join q{}, map {
        my $label = defined $_->{run}{label} ? html($_->{run}{label}) : q{};
        '<tr>'
            . cell($_->{name}, linked($_->{name}, $_->{page}))
            . cell(day($_), day($_))
            . "<td>$label</td></tr>\n"
    } @runs;
    return section("${name}runs" =~ s/\Aruns/Runs/r, [qw(Run Date Label)], $rows, class => 'text');
}

1;
