# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Escape;

# Text that comes from a machine or a file, made safe for the format that it is printed in.
#
#   html(text) -> text for HTML, as content or in a quoted attribute; one line, ASCII only,
#       with controls as for a terminal.  Undefined or empty: "unknown"
#   prose(text) -> likewise, of content; no line ends between a number and its %
#   known(text) -> the text, or "unknown" where there is none
#   in_markdown(text) -> text for a line or a cell of a table of Markdown; ASCII only
#   csv_line(fields) -> one line of CSV, with its line end; undefined fields are empty, and
#       controls as for a terminal.  A text that a spreadsheet would take for a formula begins
#       with a '
#   number(format of sprintf, number) -> field of CSV; undefined where the number is undefined
#   ascii(text) -> the text with everything outside printable ASCII as \xNN or \x{NNN}

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(visible);

our @EXPORT_OK = qw(html known prose in_markdown csv_line number ascii);

sub number {
    my ($format, $value) = @_;

    # the caller's constants
    return defined $value ? sprintf($format, $value) : undef;    ## no critic (ProhibitFormats)
}

sub known { my ($value) = @_; return defined $value && length $value ? $value : 'unknown' }

sub html {
    my $text = known(@_) . q{};
    utf8::decode($text) if !utf8::is_utf8($text);
    utf8::upgrade($text);
    $text = visible($text);
    $text =~ s/([^\x20\x21\x23-\x25\x28-\x3b\x3d\x3f-\x7e])/sprintf '&#x%x;', ord $1/ge;
    return $text;
}

sub prose { my ($text) = @_; return html($text) =~ s/(?<=\d) (?=%)/&#xa0;/gr }

# What GitHub makes a link of after Markdown was read (@name, #1, GH-1, an address) stands as code,
# of which it makes none; all other marks are escaped: a bar would end the cell.  Round brackets
# are marks only behind square ones
my $LINKED = qr{[@#]|:/|www[.]|\bgh-\d}i;

sub in_markdown {
    my $word = sub {
        my ($text) = @_;
        return $text =~ $LINKED ? "`$text`" : $text =~ s/([<>&*_~!\[\]\$])/\\$1/gr;
    };
    return ascii(@_) =~ s/([\\|`])|([^\s\\|`]+)/defined $1 ? "\\$1" : $word->($2)/ger;
}

sub csv_line {
    return join(q{,}, map { csv_field($_) } @_) . "\n";
}

sub csv_field {
    my ($text) = @_;
    return q{} if !defined $text;
    return $text if $text =~ /\A[-+]?(?:\d+[.]?\d*|[.]\d+)(?:[eE][-+]?\d+)?\z/a;
    $text = visible($text) =~ s/\A(?=[=+\-@])/'/r;
    return $text =~ /[",]/ ? q{"} . ($text =~ s/"/""/gr) . q{"} : $text;
}

sub ascii {
    my ($text) = @_;
    return $text =~ s{([^\x20-\x7e])}{sprintf ord $1 < 256 ? '\\x%02x' : '\\x{%x}', ord $1}ger;
}

1;
