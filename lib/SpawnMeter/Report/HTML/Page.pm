# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Page;

# The frame of a report's page: everything around its body.  The page needs nothing from
# elsewhere: style and script stand in it, and its policy allows these two by their hashes and
# nothing else.  So the body has no attributes for style or events.
#
#   page(title as HTML, body as HTML, style => further rules, script => further script) -> HTML

use strict;
use warnings;
use Digest::SHA qw(sha256_base64);
use Exporter 'import';

our @EXPORT_OK = qw(page);

my $STYLE = <<'END';
:root {
  --ink: #1a1a1a; --soft: #5c5c5c; --paper: #fff; --panel: #f3f4f6; --line: #d4d7dc;
  --mark: #1a5fb4; --band: #99c1f1; --bad: #a51d2d; --warn: #fff3cd;
}
@media (prefers-color-scheme:dark) {
  :root {
    --ink: #e8e8e8; --soft: #a8adb5; --paper: #17191c; --panel: #22262b; --line: #3b4048;
    --mark: #78aeed; --band: #2a4a75; --bad: #ff7b8a; --warn: #4a3a00;
  }
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
.wide { overflow-x: auto; }
table {
  border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
  font-size: .9rem;
}
th,td {
  padding: .25rem .38rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap;
}
th:first-child,td:first-child { text-align: left; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--mark); }
th[aria-sort=ascending] button::after { content: " \25b2"; }
th[aria-sort=descending] button::after { content: " \25bc"; }
.bad { color: var(--bad); }
svg,img { display: block; max-width: 100%; height: auto; }
.plots .axis { stroke: var(--line); }
.plots .band { fill: var(--band); }
.plots .mark { stroke: var(--mark); stroke-width: 2; }
.plots .dot { fill: var(--ink); fill-opacity: .55; }
.plots .flag { fill: none; stroke: var(--bad); stroke-width: 1.5; }
.plots text { fill: var(--soft); font: 12px system-ui,sans-serif; }
figure { margin: .5rem 0; }
.picture { overflow-x: auto; }
.picture svg,.picture img { min-width: 36rem; }
.plots {
  display: grid; grid-template-columns: repeat(auto-fill,minmax(min(100%,21rem),1fr));
  gap: .2rem 1.5rem;
}
.plots figure { margin: .3rem 0; }
.plots figcaption { font-size: .85rem; }
.fact td { text-align: left; white-space: normal; overflow-wrap: break-word; vertical-align: top; }
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
  table { font-size: 8pt; }
  h2 { break-after: avoid; }
  figure { break-inside: avoid; }
}
END

# Sorts a table by the numbers, largest first, or texts that its cells carry.  The script itself
# makes the heads buttons, so a browser without scripts shows none.
my $SCRIPT = <<'END';
document.querySelectorAll('table.sortable').forEach(function (table) {
  table.querySelectorAll('thead th').forEach(function (head, column) {
    var button = document.createElement('button');
    button.textContent = head.textContent;
    head.textContent = '';
    head.appendChild(button);
    button.addEventListener('click', function () {
      var was = head.getAttribute('aria-sort'), body = table.tBodies[0];
      var value = function (row) { return row.cells[column].dataset.value || '-1'; };
      var numbers = Array.from(body.rows).every(function (row) { return !isNaN(value(row)); });
      var down = was ? was === 'ascending' : numbers;
      table.querySelectorAll('th').forEach(function (h) { h.removeAttribute('aria-sort'); });
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      Array.from(body.rows).sort(function (a, b) {
        var x = value(a), y = value(b);
        var n = numbers ? x - y : x < y ? -1 : x > y ? 1 : 0;
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
    my $style = $STYLE . ($more{style} || q{});
    my $script = $SCRIPT . ($more{script} || q{});
    my $policy = policy($style, $script);
    return <<"END";
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="color-scheme" content="light dark">
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

1;
