# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Page;

# The frame of a report's page, and what its body is made of.  The page needs nothing from
# elsewhere and runs no script: its policy allows the style that stands in it, by its hash, and
# nothing else.  So the body has no attributes for style or events.
#
#   page({ title, about => a sentence that says what the page is, lines => [lines in the background]
#       or undef, command => or undef }, HTML of the rest, ...) -> HTML
#   bar(word, sentence, ...) -> HTML: what makes results doubtful, in one place; empty without any
#   section(title, HTML) -> HTML under a head
#   table(title, [heads] or undef, [ [cells of a row] ...]) -> HTML.  A cell is a text, or a
#       reference to HTML
#   soft(HTML) -> HTML: a paragraph in the background
#   details(title, HTML) -> HTML: folded away
#   preformatted(text) -> HTML: the text with its lines
#
# Titles are texts.

use strict;
use warnings;
use Digest::SHA qw(sha256_base64);
use Exporter 'import';
use SpawnMeter::Report::Chart  qw(style);
use SpawnMeter::Report::Escape qw(html prose);

our @EXPORT_OK = qw(page bar section table soft details preformatted);

my $STYLE = <<'END';
:root { --bad: #a51d2d; --warn: #fff3cd; --shade: #0004; }
@media (prefers-color-scheme:dark) {
  :root { --bad: #ff7b8a; --warn: #4a3a00; --shade: #fff5; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 58rem; padding: 1rem; font: 16px/1.5 system-ui,sans-serif;
  color: var(--ink); background: var(--paper); font-variant-numeric: tabular-nums;
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
p { margin: .4rem 0; }
.soft { color: var(--soft); }
.command { font: .9rem monospace; overflow-wrap: anywhere; }
.warn { background: var(--warn); border-left: .3rem solid var(--bad); padding: .2rem 1rem; }
.wide {
  overflow-x: auto; background:
    linear-gradient(to left,var(--paper) 1rem,transparent) 100% 0/3rem 100% no-repeat local,
    linear-gradient(to left,var(--shade),transparent) 100% 0/.7rem 100% no-repeat;
}
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
tr { border-bottom: 1px solid var(--line); }
th,td { padding: .25rem .38rem; text-align: right; white-space: pre; }
th:first-child,td:first-child { text-align: left; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; white-space: normal; }
.bad { color: var(--bad); }
figure { margin: 1rem 0; break-inside: avoid; }
.beside {
  display: grid; grid-template-columns: repeat(auto-fit,minmax(min(100%,21rem),1fr)); gap: 1rem;
}
figcaption { color: var(--soft); margin-bottom: .3rem; }
summary { cursor: pointer; margin: 1rem 0 .3rem; font-weight: 600; }
.fact td { text-align: left; white-space: normal; overflow-wrap: anywhere; vertical-align: top; }
.fact td:first-child { color: var(--soft); width: 14rem; white-space: nowrap; }
pre {
  overflow-x: auto; background: var(--panel); padding: .6rem;
  font-size: clamp(.62rem,2.6vw,.85rem);
}
.headed :is(th,td):first-child { position: sticky; left: 0; background: var(--paper); }
@media (max-width:40rem) {
  body { padding: .6rem; }
  h1 { font-size: 1.25rem; }
  .headed :is(th,td):first-child { white-space: normal; min-width: 5.5rem; }
  .fact,.fact tbody,.fact tr,.fact td { display: block; width: auto; }
  .fact td:first-child { width: auto; border: 0; padding-bottom: 0; }
}
@media print {
  body { max-width: none; font-size: 11pt; }
  .wide { overflow: visible; background: none; }
  details>* { display: block; }
  details::details-content { content-visibility: visible; }
  table { font-size: 8pt; }
  h1,h2,summary,figcaption { break-after: avoid; }
  details:has(pre) { display: none; }
  .headed :is(th,td) { padding: .1rem .3rem; white-space: normal; position: static; }
  pre { white-space: pre-wrap; }
}
END

$STYLE = (style() . $STYLE) =~ s/^ +//gmr;

# The hash is of the whole content of the element; its 32 bytes need one = at the end
my $POLICY =
      "default-src 'none'; style-src 'sha256-"
    . sha256_base64("\n$STYLE") . q{='; }
    . "img-src data:; base-uri 'none'; form-action 'none'";

sub page {
    my ($page, @parts) = @_;
    my ($title, $about) = map { html($_) } @{$page}{qw(title about)};
    my $body = '<h1>' . prose($page->{title}) . "</h1>\n<p>" . prose($page->{about}) . "</p>\n";
    my @lines = map { prose($_) } grep { length } @{ $page->{lines} || [] };
    $body .= soft(join '<br>', @lines) if @lines;
    $body .= '<p class="command">' . html($page->{command}) . "</p>\n" if defined $page->{command};
    return <<"END";
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$POLICY">
<meta name="color-scheme" content="light dark">
<meta property="og:title" content="$title">
<meta name="description" property="og:description" content="$about">
<link rel="icon" href="data:,">
<title>$title</title>
<style>
$STYLE</style>
</head>
<body>
$body@parts</body>
</html>
END
}

# ---- parts of pages ----

sub bar {
    my $html = q{};
    while (my ($word, $sentence) = splice @_, 0, 2) {
        $html .= '<p><b>' . html($word) . ':</b> ' . prose($sentence) . "</p>\n";
    }
    return length $html ? qq{<div class="warn">$html</div>\n} : q{};
}

sub section { my ($title, $html) = @_; return '<h2>' . prose($title) . "</h2>\n$html" }

sub table {
    my ($title, $heads, $rows) = @_;
    my $class = $heads ? 'headed' : 'fact';
    my $head = $heads ? '<thead>' . row('th', @{$heads}) . '</thead>' : q{};
    return join q{},
        '<div class="wide" role="region" aria-label="', html($title), '" tabindex="0">',
        qq{<table class="$class">$head<tbody>\n}, map({ row('td', @{$_}) } @{$rows}),
        "</tbody></table></div>\n";
}

sub row {
    my ($tag, @cells) = @_;
    my @html = map { ref($_) ? ${$_} : defined && !length() ? q{} : prose($_) } @cells;
    return join q{}, '<tr>', map({ "<$tag>$_</$tag>" } @html), "</tr>\n";
}

sub soft { my ($html) = @_; return qq{<p class="soft">$html</p>\n} }

sub details {
    my ($title, $html) = @_;
    return '<details><summary>' . html($title) . "</summary>\n$html</details>\n";
}

sub preformatted {
    my ($text) = @_;
    my @lines = map { length() ? html($_) : q{} } split /\n/, $text, -1;
    return q{<pre>} . join("\n", @lines) . q{</pre>};
}

1;
