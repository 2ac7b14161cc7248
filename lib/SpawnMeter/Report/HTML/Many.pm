# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many;

# render(comparison with a ranking) -> one HTML page that compares machines and needs nothing
# from elsewhere: for each number of copies the machines in the order of their index scores,
# each test, the facts that differ, and the runs.  Scripts sort and filter tables; without them
# nothing is missing.
#
# A run of the comparison also has page => address of its page relative to this one, or undef.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::HTML::Many::Tests qw(tests ranked);
use SpawnMeter::Analysis::Fingerprint      qw(values_of_facts);
use SpawnMeter::Report::Escape             qw(html);
use SpawnMeter::Analysis::Ranking          qw(tests_of_machines);
use SpawnMeter::Report::HTML::Page         qw(page);

our @EXPORT_OK = qw(linked section);

use constant NAMED => 8;    # disturbed machines

sub render {
    my ($comparison) = @_;
    my $ranking = $comparison->{ranking};
    my @runs = @{ $comparison->{machines} };
    my $title = title($ranking, @runs);
    my $body = head($title, $ranking, @runs);
    $body .= ranked($_, $ranking->{machines}, \@runs) for @{ $ranking->{tables} };
    $body .= tests(tests_of_machines($ranking->{machines}, \@runs), $ranking);
    $body .= differences($ranking->{machines}, \@runs);
    $body .= runs($ranking->{machines}, @runs);
    return frame($title, $body);
}

sub title {
    my ($ranking, @runs) = @_;
    my $machines = @{ $ranking->{machines} };
    return "SpawnMeter: $machines runs" if $machines == @runs;
    return "SpawnMeter: $machines machines, " . @runs . ' runs';
}

sub head {
    my ($title, $ranking, @runs) = @_;
    my @days = sort map { day($_->{run}{started}) } grep { $_->{run}{started} } @runs;
    my @lines;
    push @lines, 'Measured ' . ($days[0] eq $days[-1] ? $days[0] : "$days[0] to $days[-1]")
        if @days;
    push @lines, 'A bar is the score, the line its 95 % interval; a ring is a run, where a machine '
        . 'has several. Machines whose intervals overlap may change places.';
    push @lines, "Ratios are to $runs[0]{name}: the geometric mean of all tests in common.";
    my $html = '<h1>' . html($title) . "</h1>\n";
    $html .= '<p class="soft">' . join('<br>', map { html($_) } @lines) . "</p>\n";
    return $html . disturbed(@{ $ranking->{machines} });
}

# Many machines are counted, and the first ones named
sub disturbed {
    my (@machines) = @_;
    my @disturbed = grep { $_->{disturbed} } @machines or return q{};
    my @named = @disturbed > NAMED ? @disturbed[ 0 .. NAMED - 1 ] : @disturbed;
    my $list = join q{, }, map { "$_->{name} ($_->{disturbed} of $_->{results} results)" } @named;
    my $more = @disturbed - @named;
    $list .= ", and $more more of the " . @machines . ' machines' if $more;
    return
          '<p class="warn"><b>Disturbed:</b> '
        . html($list)
        . ". Their rows are marked with ! below.</p>\n";
}

sub day {
    my ($started) = @_;
    my ($day, $month, $year) = (gmtime $started)[ 3 .. 5 ];
    return sprintf '%04d-%02d-%02d', $year + 1900, $month + 1, $day;
}

# A table of all runs, with a link to the page of each that has one
sub runs {
    my ($machines, @runs) = @_;
    my $html = q{};
    for my $machine (@{$machines}) {
        for my $run (@runs[ @{ $machine->{runs} } ]) {
            my $name = linked($run->{name}, $run->{page});
            my $day = $run->{run}{started} ? day($run->{run}{started}) : q{-};
            my $label = defined $run->{run}{label} ? html($run->{run}{label}) : q{};
            my @cells = values %{ $run->{cells} };
            my $disturbed = grep { $_->{disturbed} } @cells;
            my $results = @cells;
            $html .=
                  '<tr><td data-value="'
                . html($run->{name})
                . qq{">$name</td>}
                . text_cell($machine->{name})
                . text_cell($day)
                . "<td>$label</td>"
                . qq{<td data-value="$disturbed">$disturbed of $results</td></tr>\n};
        }
    }
    my @heads = qw(Run Machine Date Label Disturbed);
    return section('Runs', \@heads, $html, class => 'text');
}

sub text_cell {
    my ($text) = @_;
    my $html = html($text);
    return qq{<td data-value="$html">$html</td>};
}

# ---- differences ----
#
# differences([machines of a ranking], [runs]) -> HTML: a matrix of the machines and the facts
# in which they differ, first those that make results incomparable.  What differs from the first
# machine is marked.  A value that is long has a number, and stands in full below the matrix.

use constant SHORT => 24;    # characters of a value that stands in the matrix

my $MEANING =
      'The facts in which the machines differ. Results of machines that differ in one of '
    . 'the facts without a star do not differ by their speed alone; a fact with a star may explain '
    . 'a difference. A value that differs from the first row is marked.';

sub differences {
    my ($machines, $runs) = @_;
    my @latest = map { $runs->[ $_->{latest} ] } @{$machines};
    my @facts =
        grep { @{ $_->{values} } + ($_->{unknown} ? 1 : 0) > 1 } @{ values_of_facts(\@latest) };
    return "<h2>Facts</h2>\n<p>The machines do not differ in any fact that is known.</p>\n"
        if !@facts;
    my $html = q{};
    for my $i (0 .. $#{$machines}) {
        my $name = html($machines->[$i]{name});
        my $cells = join q{}, map { cell($_, $i) } @facts;
        $html .= qq{<tr><td data-value="$name">$name</td>$cells</tr>\n};
    }
    my @heads = map { $_->{fact} . ($_->{matters} ? q{} : q{ *}) } @facts;
    return section(
        'Facts that differ', [ 'Machine', @heads ],
        $html,
        class => 'text',
        note  => html($MEANING)
    ) . long_values(@facts);
}

sub cell {
    my ($fact, $i) = @_;
    my ($own, $first) = @{ $fact->{of} }[ $i, 0 ];
    my $text = html(defined $own ? in_short($fact, $own) : 'unknown');
    my $same = defined $own ? defined $first && $own == $first : !defined $first;
    my $class = $same ? q{} : ' class="differs"';
    return qq{<td$class data-value="$text">$text</td>};
}

sub in_short {
    my ($fact, $number) = @_;
    my $value = $fact->{values}[$number];
    return $value if !is_long($fact);
    return 'value ' . ($number + 1);
}

sub is_long {
    my ($fact) = @_;
    return scalar grep { length > SHORT } @{ $fact->{values} };
}

sub long_values {
    my (@facts) = @_;
    my $html = q{};
    for my $fact (grep { is_long($_) } @facts) {
        my @values = @{ $fact->{values} };
        $html .=
              '<tr><td>'
            . html("$fact->{fact}: value " . ($_ + 1))
            . '</td><td>'
            . html($values[$_])
            . "</td></tr>\n"
            for 0 .. $#values;
    }
    return q{} if !length $html;
    return qq{<table class="fact"><tbody>\n$html</tbody></table>\n};
}

# ---- frame ----
#
# What the pages of many runs share: the frame with rules and a script of their own, and tables.
#
#   frame(title, body as HTML) -> the page
#   section(title, [heads of the columns], rows as HTML, note as HTML or undef) -> HTML: a head
#       and a table that can be sorted and filtered

use constant CONTENTS => 4;    # sections, from which on they are listed

my $STYLE = <<'END';
.filter { position: sticky; top: 0; z-index: 1; padding: .5rem 0; background: var(--paper); }
.filter input {
  font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--soft);
  border-radius: .3rem; padding: .2rem .5rem; max-width: 100%;
}
.wide:focus-visible,a:focus-visible,input:focus-visible {
  outline: 2px solid var(--mark); outline-offset: 2px;
}
a { color: var(--mark); }
.text th,.text td { text-align: left; }
.filtered th:first-child,.filtered td:first-child {
  position: sticky; left: 0; background: var(--paper);
}
.contents { margin: .6rem 0; padding: 0; list-style: none; }
.contents li { display: inline-block; margin-right: 1.2rem; }
h2 { scroll-margin-top: 3.5rem; }
abbr { text-decoration: none; font-weight: 700; }
.many th:nth-child(2),.many td:nth-child(2) { text-align: left; }
.many td.left,.many th:nth-last-child(-n+2) { text-align: left; }
.many svg { width: 13rem; min-width: 13rem; height: 1.1rem; }
.bar { fill: var(--band); }
.range { stroke: var(--ink); stroke-width: 1.5; }
.point { fill: var(--paper); stroke: var(--ink); stroke-width: 1.2; }
.differs { background: var(--panel); font-weight: 600; }
.plots .range { stroke-width: 1; stroke: var(--mark); }
.plots .point { fill: var(--ink); stroke: none; }
.plots .first { stroke: var(--soft); stroke-dasharray: 2 3; }
@media (max-width:40rem) {
  .many svg { width: 9rem; min-width: 9rem; }
}
@media print {
  .filter,.contents { display: none; }
  .filtered th,.filtered td { padding: .1rem .3rem; }
  .filtered td.left { white-space: normal; }
  .filtered th:first-child,.filtered td:first-child { position: static; }
  .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .many svg { width: 7rem; min-width: 7rem; }
}
END

# Shows only the rows that contain all words of a field, in all tables that can be filtered.  The
# script itself makes the field, so a browser without scripts shows none.
my $SCRIPT = <<'END';
(function () {
  var rows = document.querySelectorAll('table.filtered tbody tr');
  if (rows.length < 5) { return; }
  var form = document.createElement('p'), label = document.createElement('label');
  var field = document.createElement('input'), shown = document.createElement('span');
  form.className = 'filter';
  field.type = 'search';
  label.textContent = 'Only rows with ';
  label.appendChild(field);
  shown.setAttribute('role', 'status');
  form.appendChild(label);
  form.appendChild(shown);
  document.querySelector('h2').insertAdjacentElement('beforebegin', form);
  field.addEventListener('input', function () {
    var words = field.value.toLowerCase().split(/\s+/), number = 0;
    rows.forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
      if (!row.hidden) { number++; }
    });
    shown.textContent = field.value ? ' ' + number + ' of ' + rows.length + ' rows' : '';
  });
})();
END

sub frame {
    my ($title, $body) = @_;
    return page(html($title), with_contents($body), style => $STYLE, script => $SCRIPT);
}

# Links to the sections of a long page, before the first one
sub with_contents {
    my ($body) = @_;
    my @titles = $body =~ m{<h2>(.*?)</h2>}g;
    return $body if @titles < CONTENTS;
    my ($number, $list) = (0, q{});
    $list .= '<li><a href="#section' . ++$number . qq{">$_</a></li>\n} for @titles;
    $number = 0;
    $body =~ s{<h2>}{'<h2 id="section' . ++$number . '">'}ge;
    $body =~ s{(?=<h2)}{<nav aria-label="Sections"><ul class="contents">\n$list</ul></nav>\n};
    return $body;
}

sub section {
    my ($title, $heads, $rows, %with) = @_;
    my $name = html($title);
    my $head = join q{}, map { '<th scope="col">' . html($_) . '</th>' } @{$heads};
    my $class = join q{ }, 'sortable filtered', grep { defined } $with{class};
    my $note = defined $with{note} ? qq{<p class="soft">$with{note}</p>\n} : q{};
    return
          "<h2>$name</h2>\n$note"
        . qq{<div class="wide" role="region" aria-label="$name" tabindex="0">}
        . qq{<table class="$class">\n<thead><tr>$head</tr></thead>\n<tbody>\n$rows</tbody>\n}
        . "</table></div>\n";
}

# ---- address ----
#
# linked(text, path relative to the page, or undef) -> HTML: the text, as a link where there is
# a path.  Whatever the path contains, the link is to a file.

sub linked {
    my ($text, $path) = @_;
    return html($text) if !defined $path;
    utf8::encode($path) if utf8::is_utf8($path);
    $path =~ s{([^A-Za-z0-9._~/-])}{sprintf '%%%02X', ord $1}ge;

    # a name such as javascript:x is no scheme after a slash, and //x is no other machine
    $path =~ s{\A/+}{/};
    $path = "./$path" if $path !~ m{\A[./]};
    return qq{<a href="$path">} . html($text) . '</a>';
}

1;
