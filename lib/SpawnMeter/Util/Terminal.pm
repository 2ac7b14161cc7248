# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Terminal;

# The size of a terminal, whether it is to show colours, and printing in order.
#
#   size(handle) -> (columns, rows): of the terminal at this moment; where the handle is no
#       terminal or does not know its size, COLUMNS and LINES, and without them 80 and 24
#   colours(handle, 'auto', 'always' or 'never') -> true where text on the handle is to have
#       colours.  auto: on a terminal, unless NO_COLOR is set or TERM is dumb
#   print_now(bytes): to standard output, before anything that is said on standard error after it
#   print_text(text): the same with a text for people, which fits on a terminal
#   print_error() -> number of the first error of these, or 0
#   print_paged(text): to standard output; where that is a terminal, by PAGER, less or more
#   fitted(text, handle) -> bytes: the same, and where the handle is a terminal no line is longer
#       than that is wide

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use IO::Handle ();
use Config;
use List::Util               qw(max);
use SpawnMeter::Util::Format qw(bytes folded);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(size colours print_now print_text print_error print_paged fitted coloured);

use constant {
    COLUMNS => 80,
    ROWS    => 24,

    # TIOCGWINSZ: sys/ioctl.ph, which would say it, is seldom installed
    OF_BSD     => 0x40087468,    # the BSDs, macOS, and Linux on these architectures
    OF_LINUX   => 0x5413,
    OF_SOLARIS => 0x5468,
};
my $LIKE_BSD = qr/^(?:alpha|mips|powerpc|ppc|sparc)/;

sub request {
    my ($system, $architecture) = @_;
    return OF_SOLARIS if $system eq 'solaris';
    return OF_LINUX if $system =~ /^(?:linux|android)\z/ && $architecture !~ $LIKE_BSD;
    return OF_BSD;
}

sub size {
    my ($handle) = @_;
    my ($rows, $columns) = (0, 0);
    my $answer = pack 'S4', (0) x 4;
    my $request = request($^O, $Config{archname});
    ($rows, $columns) = unpack 'S2', $answer if -t $handle && ioctl $handle, $request, $answer;
    return ($columns || given ('COLUMNS') || COLUMNS, $rows || given ('LINES') || ROWS);
}

sub given {
    my ($name) = @_;
    my $value = defined $ENV{$name} ? $ENV{$name} : q{};
    return $value =~ /^[1-9]\d{0,3}\z/ ? $value + 0 : 0;
}

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

# The pager reads a file, so it can end at any time
sub print_paged {
    my $text = fitted(shift, \*STDOUT);
    my @pager = -t STDOUT ? pager() : ();
    my $file = @pager ? eval { File::Temp->new } : undef;
    if ($file) {
        print {$file} $text;
        local $ENV{LESS} = defined $ENV{LESS} ? $ENV{LESS} : 'FRX';    # ends where one screen does
        return if close($file) && system({ $pager[0] } @pager, "$file") != -1;
    }
    print_now($text);
    return;
}

sub pager {
    my ($named, @options) = split q{ }, defined $ENV{PAGER} ? $ENV{PAGER} : q{};
    my @names = defined $named ? $named : qw(less more);
    my ($path) = map { SpawnMeter::Util::Programs::found($_) || () } @names;
    return defined $path ? ($path, @options) : ();
}

# ---- a narrow terminal ----
#
# A paragraph with a line that is too long: of its rows the blanks go that all of them have at the
# same place, its sentences are folded anew, and what is still too long is folded at a blank.

use constant {
    FULL   => 72,    # columns of the narrowest lines that sentences are folded to
    INDENT => 4,     # of the rest of a line
};

# Between the columns of a table; two blanks can also end a sentence
my $GAP = qr/(?<=\S)[ ]{3,}(?=\S)|(?:(?<=[^\s.])|(?<=[.]{2}))[ ]{2}(?=\S)/;
my $SCORE = qr/(?:\A|Score[^:]*)[ ]{10,}\S+\z/i;

# What no sentence goes on behind: a line of a table, a rule, a command
my $WHOLE = qr{$GAP.*$GAP|\A[-=*]*\z|\\\z|\A[ ]{4}(?:[.]/Run|make)(?!.*$GAP)};

sub fitted {
    my ($text, $handle) = @_;
    $text = bytes($text);
    return $text if !-t $handle;
    my ($columns) = size($handle);
    return join q{}, map { paragraph($columns, $_) } split /(?<=\n\n)/, $text;
}

sub paragraph {
    my ($columns, $text) = @_;
    my @lines = my @were = split /\n/, $text;
    return $text if !grep { length > $columns } @lines;
    without_blanks($columns, grep { /$GAP/ && !/$SCORE/ } @lines);
    without_blanks($columns, $_) for grep { length > $columns && /$GAP.*$GAP|$SCORE/ } @lines;
    my @parts;
    for my $line (@lines) {
        my $was = shift @were;
        if (@parts && goes_on($parts[-1], $line)) {
            $parts[-1]{text} .= $line =~ s/\A */ /r;
            $parts[-1]{was} = $was;
        } else {
            my ($mark, $rest) = $line =~ /\A( *(?:- |\S.*?$GAP)?)(.*)/;
            push @parts, { mark => $mark, text => $rest, was => $was };
        }
    }
    return join(q{}, map { fitted_part($columns, $_) } @parts) . ($text =~ /\n\n\z/ ? "\n" : q{});
}

# Changes the lines
sub without_blanks {
    my $columns = shift;
    my $seen = q{};
    $seen |= $_ for @_;                                 # a blank where all have one, or end before
    my ($indent) = @_ > 1 ? $seen =~ /\A( *)/ : q{};
    my $over = length($seen) - $columns;
    for my $gap (q{ } x 3, @_ > 1 ? () : q{ } x 2) {    # of which one goes
        for my $at (reverse length($indent) .. length $seen) {
            next if $over <= 0 || index($seen, $gap, $at) != $at;
            $over--;
            substr $_, $at, 1, q{} for grep { length > $at } $seen, @_;
        }
    }
    return;
}

# Whether a line is the next one of a sentence: its first word did not fit into the line before
sub goes_on {
    my ($part, $line) = @_;
    my ($indent, $word) = $line =~ /\A( *)(?!- |[#|])(\S+)/ or return 0;
    return
           $line =~ s/\A *//r !~ $GAP
        && $part->{was} !~ $WHOLE
        && length $indent >= length $part->{mark}
        && length("$part->{was} $word") > FULL;
}

sub fitted_part {
    my ($columns, $part) = @_;
    my ($mark, $text) = @{$part}{qw(mark text)};
    return substr("$mark$text", 0, $columns) . "\n" if $text =~ /\A([-=*])\1{9,}\z/;
    return "$mark$text\n" if length "$mark$text" <= $columns || "$mark$text" !~ /\S\s/;
    my $longest = max(map { length } split q{ }, $text);
    return folded($mark, $text, $columns) if $longest + length $mark <= $columns;
    my ($indent) = $mark =~ /\A( {0,10})/;
    return folded($indent, "$mark$text" =~ s/\A *//r, $columns, $indent . q{ } x INDENT);
}

# ---- colour ----
#
# coloured(text of a report) -> the same with colours for a terminal: faster green, slower red,
# DISTURBED, BUSY and NOISY yellow.  What is printed without colours is never different: no
# meaning is in a colour alone.

my %CODE = (faster => 32, slower => 31, map { $_ => '1;33' } qw(DISTURBED BUSY NOISY));

sub coloured {
    my ($text) = @_;
    $text =~ s/(\b(?:faster|slower)$|\b(?:DISTURBED|BUSY|NOISY)\b)/\e[$CODE{$1}m$1\e[0m/gm;
    return $text;
}

1;
