package SpawnMeter::Report::HTML;

# render(run with blocks) -> one HTML page that needs nothing from elsewhere.
#
# Everything that comes from a machine or a file goes through text(): it is never
# markup.  What is drawn is inline SVG; scripts only sort tables, and without them
# nothing is missing.
#
# In the run, of a sweep: plots => [ { title, svg } ], pictures made here by gnuplot;
# table => its report as text.

use strict;
use warnings;
use List::Util qw(min max);
use SpawnMeter::Report::Text;
use SpawnMeter::Util::Format qw(duration rate percent);

sub new { my ($class) = @_; return bless {}, $class }

# As text in a page: no character of it means anything, and all are ASCII
sub text {
    my ($value) = @_;
    return 'unknown' if !defined $value || !length $value;
    my $copy = "$value";
    utf8::decode($copy) if !utf8::is_utf8($copy);
    $copy =~ s/[\x00-\x08\x0b-\x1f\x7f-\x9f]/?/g;
    $copy =~ s/([^\x09\x0a\x20\x21\x23-\x25\x28-\x3b\x3d\x3f-\x7e])/sprintf '&#x%x;', ord $1/ge;
    return $copy;
}

my $STYLE = <<'END';
:root{--ink:#1a1a1a;--soft:#5c5c5c;--paper:#fff;--panel:#f3f4f6;--line:#d4d7dc;--mark:#1a5fb4;--band:#99c1f1;--bad:#a51d2d;--warn:#fff3cd}
@media (prefers-color-scheme:dark){:root{--ink:#e8e8e8;--soft:#a8adb5;--paper:#17191c;--panel:#22262b;--line:#3b4048;--mark:#78aeed;--band:#2a4a75;--bad:#ff7b8a;--warn:#4a3a00}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:86rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.4rem;margin:0}h2{font-size:1.2rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.4rem 0}.soft{color:var(--soft)}
.scores{display:flex;flex-wrap:wrap;gap:.8rem;margin:1rem 0;padding:0;list-style:none}
.scores li{background:var(--panel);border-radius:.5rem;padding:.6rem 1rem}.scores b{display:block;font-size:1.6rem;font-variant-numeric:tabular-nums}
.warn{background:var(--warn);border-left:.3rem solid var(--bad);padding:.5rem 1rem;margin:1rem 0}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:.25rem .5rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left}
thead th{color:var(--soft);font-weight:600;vertical-align:bottom}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--mark)}
th[aria-sort=ascending] button::after{content:" \25b2"}th[aria-sort=descending] button::after{content:" \25bc"}
.bad{color:var(--bad)}
svg{display:block;max-width:100%;height:auto}
.plots .axis{stroke:var(--line)}.plots .band{fill:var(--band)}.plots .mark{stroke:var(--mark);stroke-width:2}.plots .dot{fill:var(--ink);fill-opacity:.55}.plots .flag{fill:none;stroke:var(--bad);stroke-width:1.5}.plots text{fill:var(--soft);font:12px system-ui,sans-serif}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:.2rem 1.5rem}
.plots figure{margin:.3rem 0}.plots figcaption{font-size:.85rem}
.fact td{text-align:left;white-space:normal;overflow-wrap:anywhere}.fact td:first-child{color:var(--soft);width:14rem;white-space:nowrap}
pre{overflow-x:auto;background:var(--panel);padding:.6rem;border-radius:.5rem;font-size:.85rem}
@media (max-width:40rem){body{padding:.6rem}.sortable th:first-child,.sortable td:first-child{white-space:normal;min-width:7rem}.fact td:first-child{width:auto;white-space:normal}}
@media print{body{max-width:none;font-size:11pt}.wide{overflow:visible}details>*{display:block}table{font-size:8pt}h2{break-after:avoid}figure{break-inside:avoid}}
END

# Sorts by the numbers that the cells carry; the headings become buttons here, so
# that there are none where nothing could happen
my $SCRIPT = <<'END';
document.querySelectorAll('table.sortable').forEach(function (table) {
  table.querySelectorAll('thead th').forEach(function (head, column) {
    var button = document.createElement('button');
    button.textContent = head.textContent;
    head.textContent = '';
    head.appendChild(button);
    button.addEventListener('click', function () {
      var down = head.getAttribute('aria-sort') !== 'descending';
      table.querySelectorAll('th').forEach(function (h) { h.removeAttribute('aria-sort'); });
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      var body = table.tBodies[0];
      Array.from(body.rows).sort(function (a, b) {
        var x = a.cells[column].dataset.value, y = b.cells[column].dataset.value;
        var n = column ? Number(x || -1) - Number(y || -1) : x < y ? -1 : x > y ? 1 : 0;
        return down ? -n : n;
      }).forEach(function (row) { body.appendChild(row); });
    });
  });
});
END

sub render {
    my ($self, $run) = @_;
    my $title = text('SpawnMeter: ' . (defined $run->{host} ? $run->{host} : 'a run'));
    my $body = head_of($run);
    $body .= block_of($run, $_) for @{ $run->{scored} };
    $body .= plots_of($run);
    $body .= '<div class="wide"><pre>' . text($run->{table}) . "</pre></div>\n"
        if defined $run->{table};
    $body .= facts_of($run);
    return <<"END";
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>$title</title>
<style>
$STYLE</style>
</head>
<body>
$body<script>
$SCRIPT</script>
</body>
</html>
END
}

sub head_of {
    my ($run) = @_;
    my $s = $run->{system} || {};
    my $suite = $run->{suite} =~ /^\d/ ? "SpawnMeter $run->{suite}" : $run->{suite};
    my $html =
        '<h1>' . text(defined $run->{host} ? $run->{host} : $suite) . "</h1>\n<p class=\"soft\">";
    $html .= join '<br>', map { text($_) }
        grep { defined && length } join(', ', grep { defined } @{$s}{qw(cpu_model architecture)}),
        join(q{ }, grep { defined } @{$s}{qw(system kernel_release)})
        . (defined $s->{distribution} ? ", $s->{distribution}" : q{}),
        $suite . (defined $run->{started} ? ', ' . gmtime($run->{started}) . ' UTC' : q{}),
        $run->{command};
    $html .= "</p>\n";
    $html .= '<p class="warn"><b>Incomplete:</b> ' . text($run->{reason}) . "</p>\n"
        if !$run->{complete};
    $html .= disturbed_of($run);
    my @cards;

    for my $block (@{ $run->{scored} }) {
        push @cards, map {
            sprintf "<li>%s<b>%.1f</b><span class=\"soft\">%s</span></li>\n",
                text(defined $_->{title} ? "$_->{title} Index Score" : 'Final score of 4.1.0'),
                $_->{score},
                text(copies($block->{copies}) . ($_->{partial} ? ', partial' : q{}))
        } @{ $block->{tables} };
    }
    return $html . (@cards ? '<ul class="scores">' . "\n" . join(q{}, @cards) . "</ul>\n" : q{});
}

sub copies {
    my ($n) = @_;
    return $n ? $n == 1 ? '1 copy' : "$n copies" : 'an unknown number of copies';
}

sub disturbed_of {
    my ($run) = @_;
    my @bad = grep { $_->{disturbed} } map { @{ $_->{results} } } @{ $run->{scored} };
    return q{} if !@bad;
    return
          '<p class="warn"><b>Disturbed:</b> more than 20 % of the passes of '
        . join(', ', map { text("$_->{test} (" . copies($_->{copies}) . ')') } @bad)
        . "</p>\n";
}

# The columns of the table: heading, text of a result, number to sort by
sub columns {
    my ($results) = @_;
    my @names = qw(p50 p90 p99 p99.9 max);
    my @columns = (
        [ 'Test', sub { $_[0]{title} }, sub { $_[0]{title} } ],
        [
            'Result',
            sub { sprintf('%.1f', $_[0]{rate}) . (defined $_[0]{unit} ? " $_[0]{unit}" : q{}) },
            sub { $_[0]{rate} }
        ],
        [
            'Index',
            sub { defined $_[0]{index} ? sprintf('%.1f', $_[0]{index}) : q{-} },
            sub { $_[0]{index} }
        ],
    );
    return @columns if !grep { $_->{used} } @{$results};
    return (
        @columns,
        [ '+/-', sub { percent($_[0]{plus_minus}) }, sub { $_[0]{plus_minus} } ],
        [ 'Best', sub { rate($_[0]{floor}, $_[0]{unit}) }, sub { $_[0]{floor} } ],
        [ 'CPU', sub { duration($_[0]{cpu_us}) }, sub { $_[0]{cpu_us} } ],
        (
            map {
                my $i = $_;
                [ $names[$i], sub { duration($_[0]{latency}[$i]) }, sub { $_[0]{latency}[$i] } ]
            } 0 .. 4
        ),
        [ 'Passes', sub { $_[0]{passes} }, sub { $_[0]{passes} } ],
        [ 'Flagged', sub { $_[0]{flagged} }, sub { $_[0]{flagged} } ],
    );
}

sub block_of {
    my ($run, $block) = @_;
    my @results = @{ $block->{results} };
    my $html = '<h2>' . text(ucfirst copies($block->{copies})) . "</h2>\n";
    my $when = SpawnMeter::Report::Text::when($block);
    $html .= '<p class="soft">' . text($when =~ s/\n//gr) . "</p>\n" if length $when;
    my @columns = columns(\@results);
    $html .=
          "<div class=\"wide\"><table class=\"sortable\">\n<thead><tr>"
        . join(q{}, map { '<th scope="col">' . text($_->[0]) . '</th>' } @columns)
        . "</tr></thead>\n<tbody>\n";
    for my $r (@results) {
        my $class = $r->{disturbed} ? ' class="bad"' : q{};
        $html .= "<tr$class>" . join(
            q{},
            map {
                my $v = $_->[2]->($r);
                '<td'
                    . (defined $v ? ' data-value="' . text($v) . '"' : q{}) . '>'
                    . text($_->[1]->($r)) . '</td>'
            } @columns
        ) . "</tr>\n";
    }
    $html .= "</tbody>\n</table></div>\n";
    my @lost = @{ $block->{lost} || [] };
    $html .= '<p>' . join(
        '<br>',
        map {
            text("$_->{test}: $_->{status}: " . (defined $_->{reason} ? $_->{reason} : 'unknown'))
        } @lost
        )
        . "</p>\n"
        if @lost;
    my @open = grep { defined $_->{settled} && !$_->{settled} } @results;
    $html .= '<p class="soft">Unsettled: ' . join(', ', map { text($_->{test}) } @open) . "</p>\n"
        if @open;
    my @drawn = grep { @{ $_->{rates} || [] } } @results;
    return $html if !@drawn;
    return
          $html
        . "<h3>Every pass</h3>\n<p class=\"soft\">A dot is a pass, a ring a flagged one; the line is the median, the band its 95 % interval.</p>\n<div class=\"plots\">\n"
        . join(q{}, map { passes_plot($_) } @drawn)
        . "</div>\n";
}

# The passes of a test along its rates; height only keeps dots apart, in their order
sub passes_plot {
    my ($r) = @_;
    my @rates = @{ $r->{rates} };
    my ($low, $high) = (min(@rates), max(@rates));
    my $room = ($high - $low) * 0.04 || $high * 0.01 || 1;
    ($low, $high) = ($low - $room, $high + $room);
    my $x = sub { return sprintf '%.1f', 10 + 320 * ($_[0] - $low) / ($high - $low) };
    my $svg =
        '<svg viewBox="0 0 340 74" role="img" aria-label="' . text("$r->{title}: passes") . '">';
    $svg .= sprintf '<rect class="band" x="%s" y="6" width="%.1f" height="44"/>', $x->($r->{low}),
        $x->($r->{high}) - $x->($r->{low})
        if defined $r->{low};
    $svg .= '<line class="axis" x1="10" y1="50" x2="330" y2="50"/>';
    my $m = $x->($r->{rate});
    $svg .= "<line class=\"mark\" x1=\"$m\" y1=\"4\" x2=\"$m\" y2=\"52\"/>"
        if $r->{rate} >= $low && $r->{rate} <= $high;

    for my $i (0 .. $#rates) {
        my $y = sprintf '%.1f', 10 + 36 * ($i % 7) / 6;
        my $class = ($r->{flags}[$i] || 0) > 0 ? 'flag' : 'dot';
        $svg .= sprintf '<circle class="%s" cx="%s" cy="%s" r="2.6"/>', $class, $x->($rates[$i]),
            $y;
    }
    $svg .=
        sprintf
        '<text x="10" y="67">%s</text><text x="330" y="67" text-anchor="end">%s</text></svg>',
        text(rate($low, $r->{unit})), text(rate($high, $r->{unit}));
    return "<figure>$svg<figcaption>"
        . text(
        "$r->{title} ("
            . (
            defined $r->{plus_minus}
            ? '+/- ' . percent($r->{plus_minus})
            : 'too few passes for an interval'
            )
            . ')'
        ) . "</figcaption></figure>\n";
}

# The pictures are gnuplot's own, made from our own CSV in the same run
sub plots_of {
    my ($run) = @_;
    my @plots = @{ $run->{plots} || [] };
    return q{} if !@plots;
    return "<h2>Plots</h2>\n" . join q{}, map {
        '<figure>' . $_->{svg} . '<figcaption>' . text($_->{title}) . "</figcaption></figure>\n"
    } @plots;
}

sub facts_of {
    my ($run) = @_;
    my $s = $run->{system} || {};
    my %p = %{ $run->{protocol} || {} };
    my @rows = (
        (map { [ 'build', $_ ] } @{ $run->{build}          || [] }),
        (map { [ 'condition', $_ ] } @{ $run->{conditions} || [] }),
        [
            'measured', join ', ',
            map { "$_ " . (defined $p{$_} ? $p{$_} : 'unknown') } sort keys %p
        ],
        (map { [ $_, $s->{$_} ] } sort keys %{$s}),
    );
    my $html = "<h2>What was measured, and where</h2>\n<table class=\"fact\"><tbody>\n";
    $html .= '<tr><td>' . text($_->[0]) . '</td><td>' . text($_->[1]) . "</td></tr>\n" for @rows;
    my $how =
        ($p{name} || q{}) eq 'classic'
        ? 'the geometric mean of the passes without the worst third'
        : 'the median of the passes';
    return
          $html
        . "</tbody></table>\n<p class=\"soft\">Result: $how. +/-: the larger half of the 95 % interval of the passes' median; slow drift it does not cover."
        . " CPU: user and system time of one iteration, parent and child. p50 to max: latency over all iterations of all passes that count.</p>\n";
}

1;
