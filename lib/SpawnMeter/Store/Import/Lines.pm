package SpawnMeter::Store::Import::Lines;

# The lines of a text that was posted, as they were before: without quotes and
# indents, what was wrapped in one piece again, columns apart.  Pure functions.
#
#   logical_lines(text, { whole => sub (line), known => sub (line), begins => sub
#       (line) }) -> [number, line] ...
#                               whole: nothing of the next line can belong to it;
#                               known: it is a line of a report as it stands;
#                               begins: a line of a report begins with it
#   columns({ known => ..., title => sub (cell) }, [number, line] ...) ->
#       one list of such lines for each machine that the text shows

use strict;
use warnings;
use Encode ();
use Exporter 'import';

our @EXPORT_OK = qw(logical_lines columns);

use constant {
    LINE_MAX => 1000,    # characters; a report has lines of 80
    PIECES   => 3,       # what one line can have been wrapped into
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
    $line =~ s/\e\[[\d;]*[A-Za-z]//g;
    $line =~ s/[\t\p{Zs}]|&nbsp;/ /g;
    $line =~ s/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]//g;
    $line =~ s/^ *(?:> ?)+//;
    $line =~ s/^ *[|] ?// if $line =~ /^ *[|][^|]*$/;

    # what lists, differences and pages put before a line, or at its end
    $line =~ s/^ *(?:[*+-] +|[+](?=\w)|-(?=[A-Za-z]))//;
    $line =~ s/`+//g;
    $line =~ s/^ +//;
    $line =~ s{(?: |<br */?>|\\)+$}{};
    return $line;
}

sub logical_lines {
    my ($text, $is) = @_;
    my @lines = map { tidy($_) } split /\r\n|\n|\r/, decoded($text), -1;
    my @logical;
    my $i = 0;
    while ($i < @lines) {
        my ($line, $used) = joined($is, @lines[ $i .. min($i + PIECES - 1, $#lines) ]);
        push @logical, [ $i + 1, $line ];
        $i += $used;
    }
    return @logical;
}

sub min { my ($x, $y) = @_; return $x < $y ? $x : $y }

# A line with as many of the next ones as make it a known one; (line, how many)
sub joined {
    my ($is, $line, @next) = @_;
    return ($line, 1) if $line =~ /[|]/ || $is->{whole}->($line);
    my ($long, $used) = ($line, 1);
    for my $piece (@next) {
        last if $piece eq q{} || $is->{begins}->($piece);
        $long .= " $piece";
        $used++;
        return ($long, $used) if $is->{known}->($long) && $is->{whole}->($long);
    }
    return ($line, 1);
}

# | between columns: whole lines of several reports, or one table of one report,
# or a column of results for each machine
sub columns {
    my ($is, @lines) = @_;
    my (@streams, @names);
    for my $entry (@lines) {
        my ($number, $line) = @{$entry};
        my @cells = cells($line);
        @cells = twins($is, $line) if @cells < 2;
        if (@cells < 2) {
            push @{ $streams[0] }, $entry;
            next;
        }
        next if !grep { !/^[-:= ]*$/ } @cells;    # a rule under a head
        my @made = @{ parts($is, \@names, @cells) };
        @names = () if !@made;
        for my $i (0 .. $#made) {
            push @{ $streams[$i] }, map { [ $number, $_ ] } @{ $made[$i] };
        }
    }
    return grep { defined } @streams;
}

# Two columns without a mark between them (pr -m, sdiff): what the first begins with
# begins the second, and each is a line of a report
sub twins {
    my ($is, $line) = @_;
    my ($words) = $line =~ /^(\S+(?: \S+)?)/ or return;
    my $at = index $line, "  $words", length $words;
    return if $at < 0;
    my ($first, $second) = map { s/^ +| +$//gr } substr($line, 0, $at), substr $line, $at;
    return $is->{known}->($first) && $is->{known}->($second) ? ($first, $second) : ();
}

sub cells {
    my ($line) = @_;
    return if $line !~ /[|]/;
    my @cells = split /[|]/, $line, -1;
    s/^ +| +$//g for @cells;
    shift @cells if @cells && $cells[0] eq q{} && $line =~ /^[|]/;
    pop @cells if @cells && $cells[-1] eq q{};
    return @cells;
}

# The lines that a row of cells gives to each stream
sub parts {
    my ($is, $names, @cells) = @_;
    my @filled = grep { length } @cells;
    return [ map { length ? [$_] : [] } @cells ]
        if !grep { !$is->{known}->($_) && !/^[-=]+$/ } @filled;
    my ($title, @values) = @cells;
    my $known = $is->{title}->($title);
    return [ map { length ? ["$title $_"] : [] } @values ]
        if $known && !grep { length && !/^[\d.,]+ *[A-Za-z]/ } @values;
    my $joined = join q{ }, @cells;
    return [ [$joined] ] if $known || $is->{known}->($joined);

    # a head: a column for each machine, by its name
    return [] if grep { /^[\d.,]+$/ } @values;
    return [ map { ["System: $_"] } @values ] if $title =~ /^(?:tests?|benchmarks?|results?|)$/i;
    return [ [$joined] ];
}

1;
