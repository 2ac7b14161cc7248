# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Escape;

# Text that comes from a machine or a file, made safe for the format that it is printed in.
# (For a terminal: SpawnMeter::Report::Escape.)
#
#   html(text) -> text for HTML, as content or in a quoted attribute; one line, ASCII only,
#       with controls as for a terminal.  Undefined or empty: "unknown"
#   known(text) -> the text, or "unknown" where there is none
#   html_lines(text) -> likewise with its lines
#   prose(text) -> likewise, of content; no line ends between a number and its %
#   markdown(text) -> text for a cell of a Markdown table; ASCII only
#   csv_line(fields) -> one line of CSV, with its line end; undefined fields are empty.  A
#       text that a spreadsheet would take for a formula begins with a '
#   plain_csv_line(fields) -> likewise without this '
#   number(format of sprintf, number) -> field of CSV; undefined where
#       the number is undefined
#   ascii(text) -> the text with everything outside printable ASCII as \xNN or \x{NNN}

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(visible);

our @EXPORT_OK =
    qw(html html_lines known prose markdown csv_line number plain_csv_line ascii visible_run);

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

sub prose {
    my ($text) = @_;
    return html($text) =~ s/(?<=\d) (?=%)/&#xa0;/gr;
}

sub html_lines {
    my ($text) = @_;
    return join "\n", map { length() ? html($_) : q{} } split /\n/, $text, -1;
}

# A bar would end the cell, and Markdown passes HTML on
sub markdown {
    my ($text) = @_;
    return ascii($text) =~ s/([\\|<>&`*_])/\\$1/gr;
}

sub csv_line {
    return plain_csv_line(map { no_formula($_) } @_);
}

sub plain_csv_line {
    return join(q{,}, map { csv_field($_) } @_) . "\n";
}

sub no_formula {
    my ($text) = @_;
    return $text if !defined $text || $text =~ /\A[-+]?(?:\d+[.]?\d*|[.]\d+)(?:[eE][-+]?\d+)?\z/a;
    return $text =~ /\A[=+\-@\t\r]/ ? "'$text" : $text;
}

sub csv_field {
    my ($text) = @_;
    return q{} if !defined $text;
    return $text if $text !~ /[",\r\n]/;
    return q{"} . ($text =~ s/"/""/gr) . q{"};
}

sub ascii {
    my ($text) = @_;
    return $text =~ s{([^\x20-\x7e])}{sprintf ord $1 < 256 ? '\\x%02x' : '\\x{%x}', ord $1}ger;
}

# ---- visible ----
#
# Texts that were read from a file may contain control characters, which a terminal would
# interpret.
#
#   visible_run(run with `scored` blocks) -> a copy in which the texts of results, lost tests
#       and index tables are one line each, with control characters as \xNN

my @TEXTS = qw(test title category unit reason);

sub visible_run {
    my ($run) = @_;
    return { %{$run}, scored => [ map { visible_block($_) } @{ $run->{scored} } ] };
}

sub visible_block {
    my ($block) = @_;
    my %of = map {
        $_ => [ map { visible_result($_) } @{ $block->{$_} } ]
    } qw(results lost tables);
    $_->{rows} = [ map { visible_result($_) } @{ $_->{rows} } ] for @{ $of{tables} };
    return { %{$block}, %of };
}

sub visible_result {
    my ($result) = @_;
    return { %{$result}, map { $_ => scalar visible($result->{$_}) } @TEXTS };
}

1;
