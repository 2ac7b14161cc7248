# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Lines;

# The lines of a posted text as the report had them: without quotes and indents, wrapped
# lines joined, columns apart.  Pure functions.
#
#   logical_lines(is, text) -> (line { number, text }, ...)
#   columns(is, lines) -> ([lines], ...): a list for each machine that the text shows
#
# What a line is, the caller decides by functions of a text:
#   is => { known => it is a line of a report, whole => nothing of the next line can belong
#       to it, begins => a line of a report begins with it, title => it is the title of a
#       test }

use strict;
use warnings;
use Encode ();
use Exporter 'import';
use List::Util qw(min);

our @EXPORT_OK = qw(logical_lines columns);

use constant {
    LINE_MAX => 1000,    # characters; a report has lines of 80
    PIECES   => 3,       # that one line may have been wrapped into
};

sub decoded {
    my ($bytes) = @_;
    return $bytes if utf8::is_utf8($bytes);
    my $text = eval { Encode::decode('UTF-8', $bytes, Encode::FB_CROAK() | Encode::LEAVE_SRC()) };
    return defined $text ? $text : Encode::decode('ISO-8859-1', $bytes);
}

sub tidy {
    my ($line) = @_;
    $line = substr $line, 0, LINE_MAX;
    $line =~ s/\e\[[\d;]*[A-Za-z]//ag;
    $line =~ s/[\t\p{Zs}]|&nbsp;/ /g;
    $line =~ s/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]//g;

    # quotes of a mail, then the marks of lists and differences
    $line =~ s/^ *(?:> ?)+//;
    $line =~ s/^ *[|] ?// if $line =~ /^ *[|][^|]*$/;
    $line =~ s/^ *(?:[*+-] +|[+](?=\w)|-(?=[A-Za-z]))//;
    $line =~ s/`+//g;
    $line =~ s/^ +//;
    $line =~ s{(?: |<br */?>|\\)+$}{};
    return $line;
}

sub logical_lines {
    my ($is, $text) = @_;
    my @texts = map { tidy($_) } split /\r\n|\n|\r/, decoded($text), -1;
    my @lines;
    my $i = 0;
    while ($i < @texts) {
        my $joined = joined($is, @texts[ $i .. min($i + PIECES - 1, $#texts) ]);
        push @lines, { number => $i + 1, text => $joined->{text} };
        $i += $joined->{pieces};
    }
    return @lines;
}

# A piece with as many of the next ones as make it a known line -> { text, pieces => their
# number }
sub joined {
    my ($is, $first, @next) = @_;
    my %alone = (text => $first, pieces => 1);
    return \%alone if $first =~ /[|]/ || $is->{whole}->($first);
    my %long = %alone;
    for my $piece (@next) {
        last if $piece eq q{} || $is->{begins}->($piece);
        $long{text} .= " $piece";
        $long{pieces}++;
        return \%long if $is->{known}->($long{text}) && $is->{whole}->($long{text});
    }
    return \%alone;
}

# With | between them there are whole lines of several reports, one table of one report, or
# a column of results for each machine
sub columns {
    my ($is, @lines) = @_;
    my @streams;
    for my $line (@lines) {
        my @cells = cells($line->{text});
        @cells = unmarked_columns($is, $line->{text}) if @cells < 2;
        if (@cells < 2) {
            push @{ $streams[0] }, $line;
            next;
        }
        next if !grep { !/^[-:= ]*$/ } @cells;    # a rule under a head
        my @texts = @{ texts_of_streams($is, @cells) };
        for my $i (grep { defined $texts[$_] } 0 .. $#texts) {
            push @{ $streams[$i] }, { number => $line->{number}, text => $texts[$i] };
        }
    }
    return grep { defined } @streams;
}

# Two columns without a mark between them (pr -m, sdiff): both are lines of a report and
# begin with the same words
sub unmarked_columns {
    my ($is, $text) = @_;
    my ($words) = $text =~ /^(\S+(?: \S+)?)/ or return;
    my $at = index $text, "  $words", length $words;
    return if $at < 0;
    my @columns = map { s/^ +| +$//gr } substr($text, 0, $at), substr $text, $at;
    return (grep { !$is->{known}->($_) } @columns) ? () : @columns;
}

sub cells {
    my ($text) = @_;
    return if $text !~ /[|]/;
    my @cells = split /[|]/, $text, -1;
    s/^ +| +$//g for @cells;
    shift @cells if $cells[0] eq q{} && $text =~ /^[|]/;
    pop @cells if @cells && $cells[-1] eq q{};
    return @cells;
}

# [ the text that a row of cells gives to each stream, undef for none ]
sub texts_of_streams {
    my ($is, @cells) = @_;
    my ($title, @values) = @cells;
    return [ map { length($_) ? $_ : undef } @cells ]
        if !grep { length($_) && !/^[-=]+$/ && !$is->{known}->($_) } @cells;
    my $is_title = $is->{title}->($title);
    return [ map { length($_) ? "$title $_" : undef } @values ]
        if $is_title && !grep { length($_) && !/^[\d.,]+ *[A-Za-z]/a } @values;
    my $row = join q{ }, @cells;
    return [$row] if $is_title || $is->{known}->($row);
    return [] if grep { /^[\d.,]+$/a } @values;

    # a head with the names of the machines
    return [ map { "System: $_" } @values ] if $title =~ /^(?:tests?|benchmarks?|results?|)$/i;
    return [$row];
}

1;
