# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Terminal;

# The width of a terminal, whether it is to show colours, and printing in order.
#
#   columns(handle) -> of the terminal at this moment; where the handle is no terminal or does not
#       know its size, COLUMNS, and without it 80
#   page_columns() -> of standard output where that is a terminal, else 80
#   colours(handle, 'auto', 'always' or 'never') -> true where text on the handle is to have
#       colours.  auto: on a terminal, unless NO_COLOR is set or TERM is dumb
#   print_now(bytes): to standard output, before anything that is said on standard error after it
#   print_text(text): the same with a text for people, which fits on a terminal
#   print_error() -> number of the first error of these, or 0
#   fitted(text, handle) -> bytes: the same, and where the handle is a terminal no line is longer
#       than that is wide

use strict;
use warnings;
use Exporter 'import';
use IO::Handle               ();
use List::Util               qw(first);
use SpawnMeter::Util::Format qw(bytes folded);

our @EXPORT_OK = qw(columns page_columns colours print_now print_text print_error fitted coloured);

use constant COLUMNS => 80;

# TIOCGWINSZ of the BSDs, macOS and Linux on mips, powerpc and sparc; of Linux elsewhere; of
# Solaris: sys/ioctl.ph, which would say it, is seldom installed.  A terminal refuses the others
my @SIZE_REQUESTS = (0x40087468, 0x5413, 0x5468);

sub columns {
    my ($handle) = @_;
    my $answer = pack 'S4', (0) x 4;
    first { ioctl $handle, $_, $answer } @SIZE_REQUESTS if -t $handle;
    my (undef, $columns) = unpack 'S2', $answer;
    my ($given) = ($ENV{COLUMNS} || q{}) =~ /^([1-9]\d{0,3})\z/;
    return $columns || $given || COLUMNS;
}

sub page_columns { return -t STDOUT ? columns(\*STDOUT) : COLUMNS }

sub colours {
    my ($handle, $when) = @_;
    return $when eq 'always' if $when ne 'auto';
    return 0 if defined $ENV{NO_COLOR} && length $ENV{NO_COLOR};
    return -t $handle && ($ENV{TERM} || 'dumb') ne 'dumb';
}

my $failed = 0;

sub print_now {
    my ($bytes) = @_;
    my $good = print $bytes;
    $failed = $! + 0 if !($good && STDOUT->flush) && !$failed;
    return;
}

sub print_text { my ($text) = @_; return print_now(fitted($text, \*STDOUT)) }

sub print_error { return $failed }

# ---- a narrow terminal: a long line loses blanks between its columns, and else is folded ----

use constant INDENT => 4;    # of the rest of a line

sub fitted {
    my ($text, $handle) = @_;
    $text = bytes($text);
    return $text if !-t $handle;
    my $columns = columns($handle);
    return join q{}, map { length > $columns + 1 ? shorter($columns, $_) : $_ } split /^/m, $text;
}

sub shorter {
    my ($columns, $line) = @_;
    chomp $line;
    return substr($line, 0, $columns) . "\n" if $line =~ /\A([-=*])\1+\z/;
    my ($indent, $rest) = $line =~ /\A( *)(.*)/;
    $rest =~ s/  +/  /g;
    return "$indent$rest\n" if length "$indent$rest" <= $columns;
    $indent = substr $indent, 0, INDENT;
    return folded($indent, $rest, $columns, $indent . q{ } x INDENT);
}

# ---- colour ----
#
# coloured(text of a report, pattern of heads that warn) -> the same with colours for a terminal:
# faster green, slower red, these heads yellow.  No meaning is in a colour alone.

my %CODE = (faster => 32, slower => 31);

sub coloured {
    my ($text, $warn) = @_;
    $text =~
        s/(\b(?:faster|slower)$|\b(?:$warn)(?=:))/"\e[" . ($CODE{$1} || '1;33') . "m$1\e[0m"/gme;
    return $text;
}

1;
