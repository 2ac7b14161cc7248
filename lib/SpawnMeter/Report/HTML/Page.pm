# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Page;

# The frame of a report's page: everything around its body.  The page needs nothing from
# elsewhere: style and script stand in it, and its policy allows these two by their hashes and
# nothing else.  So the body has no attributes for style or events.
#
#   page(title as text, body as HTML, description => text for previews of links, style => further
#       rules, script => further script) -> HTML
#   links(name of the stored run, true where it has a text report) -> HTML: to its files, which lie
#       beside the page
#   fact_table([name, value] ...) -> HTML, of texts: without heads
#   simple_table([heads], [cells of a row] ...) -> HTML, of texts
#   to_copy(what, text) -> HTML: the text, folded away
#   linked(text, path relative to the page, or undef) -> HTML: the text, as a link where there is
#       a path.  Whatever the path contains, the link is to a file

use strict;
use warnings;
use Digest::SHA qw(sha256_base64);
use Exporter 'import';
use SpawnMeter::Report::Chart  qw(style);
use SpawnMeter::Report::Escape qw(html html_lines);

our @EXPORT_OK = qw(fact_table frame links linked page section simple_table to_copy);

my $STYLE = <<'END';
:root { --bad: #a51d2d; --warn: #fff3cd; --mark: #1a5fb4; }
@media (prefers-color-scheme:dark) {
  :root { --bad: #ff7b8a; --warn: #4a3a00; --mark: #78aeed; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 86rem; padding: 1rem; font: 16px/1.5 system-ui,sans-serif;
  color: var(--ink); background: var(--paper);
}
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .4rem 0; }
.soft { color: var(--soft); }
.scores {
  display: flex; flex-wrap: wrap; gap: .8rem; margin: 1rem 0; padding: 0;
  list-style: none;
}
.scores li { background: var(--panel); border-radius: .5rem; padding: .6rem 1rem; }
.scores b { display: block; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
.warn {
  background: var(--warn); border-left: .3rem solid var(--bad); padding: .5rem 1rem;
  margin: 1rem 0;
}
.result { font-size: 1.2rem; font-weight: 600; margin: 1rem 0; }
.verdicts { margin: .4rem 0; padding-left: 1.2rem; columns: 26rem auto; }
.wide { overflow-x: auto; }
.text th,.text td { text-align: left; }
.facts td { white-space: normal; overflow-wrap: break-word; min-width: 6rem; }
table {
  border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
  font-size: .9rem;
}
th,td {
  padding: .25rem .38rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap;
}
th:first-child,td:first-child { text-align: left; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; white-space: normal; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--mark); }
th[aria-sort=ascending] button::after { content: " \25b2"; }
th[aria-sort=descending] button::after { content: " \25bc"; }
.bad { color: var(--bad); }
a { color: var(--mark); }
figure { margin: 1rem 0; break-inside: avoid; }
figcaption { color: var(--soft); max-width: 56rem; margin-bottom: .3rem; }
summary { cursor: pointer; margin: 1rem 0 .3rem; font-weight: 600; }
summary:focus-visible { outline: 2px solid var(--mark); }
:target { background: var(--panel); }
.plots {
  display: grid; grid-template-columns: repeat(auto-fill,minmax(min(100%,21rem),1fr));
  gap: .2rem 1.5rem;
}
.plots figure { margin: .3rem 0; }
.plots figcaption { font-size: .85rem; }
.fact td { text-align: left; white-space: normal; overflow-wrap: anywhere; vertical-align: top; }
.fact td:first-child { color: var(--soft); width: 14rem; white-space: nowrap; }
pre {
  overflow-x: auto; background: var(--panel); padding: .6rem; border-radius: .5rem;
  font-size: .85rem;
}
@media (max-width:40rem) {
  body { padding: .6rem; }
  .sortable th:first-child,.sortable td:first-child { white-space: normal; min-width: 7rem; }
  .fact,.fact tbody,.fact tr,.fact td { display: block; width: auto; }
  .fact td:first-child { width: auto; border: 0; padding-bottom: 0; }
}
@media print {
  body { max-width: none; font-size: 11pt; }
  .wide { overflow: visible; }
  details>* { display: block; }
  details::details-content { content-visibility: visible; }
  table { font-size: 8pt; }
  h1,h2,h3,h2+p,summary,figcaption { break-after: avoid; }
  tr,figcaption { break-inside: avoid; }
  figure:has(>svg+svg) { break-inside: auto; }
  details:has(pre) { display: none; }
}
END

# Sorts a table by numbers, the largest first, or texts: those that its cells carry as data-value
# or show, a time by its unit.  The script itself makes the heads buttons, so a browser without
# scripts shows none.
my $SCRIPT = <<'END';
document.querySelectorAll('table.sortable').forEach(function (table) {
  var units = { ms: 1e3, s: 1e6 };
  table.querySelectorAll('thead th').forEach(function (head, column) {
    var button = document.createElement('button');
    button.textContent = head.textContent;
    head.textContent = '';
    head.appendChild(button);
    button.addEventListener('click', function () {
      var was = head.getAttribute('aria-sort'), body = table.tBodies[0];
      var value = function (row) {
        var cell = row.cells[column], text = cell.dataset.value || cell.textContent;
        var parts = /^>?([-+]?\d+(?:\.\d+)?)(?: \+ \d+| ?([a-z%\/]*))$/i.exec(text);
        return parts ? parts[1] * (units[parts[2]] || 1) : /^-?$/.test(text) ? -1e99 : text;
      };
      var numbers = Array.from(body.rows).every(function (row) { return value(row).toFixed; });
      var down = was ? was === 'ascending' : numbers;
      table.querySelectorAll('th').forEach(function (h) { h.removeAttribute('aria-sort'); });
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      Array.from(body.rows).sort(function (a, b) {
        var x = value(a), y = value(b);
        var n = numbers ? x - y : String(x).localeCompare(y);
        return down ? -n : n;
      }).forEach(function (row) { body.appendChild(row); });
    });
  });
});
END

# What a browser allows, by the hash of the whole content of the element
sub source {
    my ($text) = @_;
    return q{'sha256-} . sha256_base64($text) . q{='};    # 32 bytes need one = at the end
}

sub policy {
    my ($style, $script) = @_;
    return join q{; }, q{default-src 'none'}, 'style-src ' . source("\n$style"),
        'script-src ' . source("\n$script"), 'img-src data:', q{base-uri 'none'},
        q{form-action 'none'};
}

sub page {
    my ($title, $body, %more) = @_;
    my $style = style() . $STYLE . ($more{style} || q{});
    my $script = $SCRIPT . ($more{script} || q{});
    s/^ +//gm for $style, $script;
    my $policy = policy($style, $script);
    ($title, my $description) = map { html($_) } $title, $more{description};
    return <<"END";
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="color-scheme" content="light dark">
<meta name="description" content="$description">
<meta property="og:title" content="$title">
<meta property="og:description" content="$description">
<link rel="icon" href="data:,">
<title>$title</title>
<style>
$style</style>
</head>
<body>
$body<script>
$script</script>
</body>
</html>
END
}

# ---- parts of pages ----

sub links {
    my ($name, $with_text) = @_;
    my @links = linked('run file (JSON)', "$name.json");
    push @links, linked('report as text', $name) if $with_text;
    return '<p class="soft">Files of this run: ' . join(', ', @links) . "</p>\n";
}

sub to_copy {
    my ($what, $text) = @_;
    return
          '<details><summary>'
        . html($what)
        . "</summary>\n<pre>"
        . html_lines($text)
        . "</pre></details>\n";
}

sub simple_table {
    my ($heads, @rows) = @_;
    my $head = join q{}, map { '<th scope="col">' . html($_) . '</th>' } @{$heads};
    my $html = q{};
    for my $row (@rows) {
        my $cells = join q{}, map { '<td>' . (length($_) ? html($_) : q{}) . '</td>' } @{$row};
        $html .= "<tr>$cells</tr>\n";
    }
    return qq{<div class="wide"><table class="sortable"><thead><tr>$head</tr></thead>}
        . "<tbody>\n$html</tbody></table></div>\n";
}

sub fact_table {
    my (@rows) = @_;
    my $html = join q{}, map {
              '<tr><td>'
            . join('</td><td>', map { html($_) } @{$_})
            . "</td></tr>\n"
    } @rows;
    return qq{<table class="fact"><tbody>\n$html</tbody></table>\n};
}

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

# ---- pages of many runs ----
#
# With rules and a script of their own, and tables that can be filtered.
#
#   frame(title, description, body as HTML) -> the page
#   section(title, [heads of the columns], rows as HTML, class, HTML before it or undef) ->
#       HTML: a head, what stands before the table, and a table that can be sorted and filtered

use constant CONTENTS => 4;    # sections, from which on they are listed

my $MANY_STYLE = <<'END';
.filter { position: sticky; top: 0; z-index: 1; padding: .5rem 0; background: var(--paper); }
.filter input {
  font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--soft);
  border-radius: .3rem; padding: .2rem .5rem; max-width: 100%;
}
.wide:focus-visible,a:focus-visible,input:focus-visible {
  outline: 2px solid var(--mark); outline-offset: 2px;
}
.filtered th:first-child,.filtered td:first-child {
  position: sticky; left: 0; background: var(--paper);
}
.contents { margin: .6rem 0; padding: 0; list-style: none; }
.contents li { display: inline-block; margin-right: 1.2rem; }
h2 { scroll-margin-top: 3.5rem; }
abbr { text-decoration: none; font-weight: 700; }
.many td.left,.many th:nth-last-child(-n+2) { text-align: left; }
.differs { background: var(--panel); font-weight: 600; }
@media print {
  .filter,.contents { display: none; }
  .filtered th,.filtered td { padding: .1rem .3rem; }
  .filtered td.left { white-space: normal; }
  .filtered th:first-child,.filtered td:first-child { position: static; }
}
END

# Shows only the rows that contain all words of a field, in all tables that can be filtered.  The
# script itself makes the field, so a browser without scripts shows none.
my $MANY_SCRIPT = <<'END';
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
    my ($title, $description, $body) = @_;
    return page(
        $title, with_contents($body),
        description => $description,
        style       => $MANY_STYLE,
        script      => $MANY_SCRIPT
    );
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
    my ($title, $heads, $rows, $class, $before) = @_;
    my $name = html($title);
    my $head = join q{}, map { '<th scope="col">' . html($_) . '</th>' } @{$heads};
    return
          "<h2>$name</h2>\n"
        . (defined $before ? $before : q{})
        . qq{<div class="wide" role="region" aria-label="$name" tabindex="0">}
        . qq{<table class="sortable filtered $class">\n<thead><tr>$head</tr></thead>\n}
        . "<tbody>\n$rows</tbody>\n"
        . "</table></div>\n";
}

1;
