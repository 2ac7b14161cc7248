# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Escape;

# Text that comes from a machine or a file, made safe for the format that it is printed in.
# (For a terminal: SpawnMeter::Report::Visible.)
#
#   html(text) -> text for HTML, as content or in a quoted attribute; ASCII only.
#       Undefined or empty: "unknown"
#   markdown(text) -> text for a cell of a Markdown table; ASCII only
#   csv_line(fields) -> one line of CSV, with its line end; undefined fields are empty
#   ascii(text) -> the text with everything outside printable ASCII as \xNN or \x{NNN}

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(html markdown csv_line ascii);

sub html {
    my ($value) = @_;
    return 'unknown' if !defined $value || !length $value;
    my $text = "$value";
    utf8::decode($text) if !utf8::is_utf8($text);
    $text =~ s/[\x00-\x08\x0b-\x1f\x7f-\x9f]/?/g;
    $text =~ s/([^\x09\x0a\x20\x21\x23-\x25\x28-\x3b\x3d\x3f-\x7e])/sprintf '&#x%x;', ord $1/ge;
    return $text;
}

# A bar would end the cell, and Markdown passes HTML on
sub markdown {
    my ($text) = @_;
    return ascii($text) =~ s/([\\|<>&`*_])/\\$1/gr;
}

sub csv_line {
    return join(q{,}, map { csv_field($_) } @_) . "\n";
}

sub csv_field {
    my ($text) = @_;
    return q{} if !defined $text;
    return $text if $text !~ /[",\r\n]/;
    return q{"} . ($text =~ s/"/""/gr) . q{"};
}

sub ascii {
    my ($text) = @_;
    return $text =~ s/([^\x20-\x7e])/hexadecimal(ord $1)/ger;
}

sub hexadecimal {
    my ($code) = @_;
    return $code < 256 ? sprintf('\\x%02x', $code) : sprintf '\\x{%x}', $code;
}

1;
