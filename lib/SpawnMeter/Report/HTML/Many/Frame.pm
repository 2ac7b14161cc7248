# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many::Frame;

# What the pages of many runs share: the frame with rules and a script of their own, and tables.
#
#   frame(title, description, body as HTML) -> the page
#   section(title, [heads of the columns], rows as HTML, note => HTML, before => HTML, class) ->
#       HTML: a head, what stands before the table, and a table that can be sorted and filtered

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape     qw(html);
use SpawnMeter::Report::HTML::Page qw(page);

our @EXPORT_OK = qw(frame section);

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
    my ($title, $description, $body) = @_;
    return page(
        $title, with_contents($body),
        description => $description,
        style       => $STYLE,
        script      => $SCRIPT
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
    my ($title, $heads, $rows, %with) = @_;
    my $name = html($title);
    my $head = join q{}, map { '<th scope="col">' . html($_) . '</th>' } @{$heads};
    my $class = join q{ }, 'sortable filtered', grep { defined } $with{class};
    my $note = defined $with{note} ? qq{<p class="soft">$with{note}</p>\n} : q{};
    return
          "<h2>$name</h2>\n$note"
        . (defined $with{before} ? $with{before} : q{})
        . qq{<div class="wide" role="region" aria-label="$name" tabindex="0">}
        . qq{<table class="$class">\n<thead><tr>$head</tr></thead>\n<tbody>\n$rows</tbody>\n}
        . "</table></div>\n";
}

1;
