# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Columns;

# Reports side by side, and tables.  Pure functions.
#
#   columns(is, lines) -> ([lines], ...): a list for each machine that the text shows.  A line
#       is { number, text, in_table => true for a row of a table with a head }; { number,
#       label } where a column of a machine begins; { number, copies } where a table gives
#       the number of copies of its next lines in a column
#
# is => { known, title => a test has this title }, functions of a text (Import::Lines)

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first);

our @EXPORT_OK = qw(columns);

use constant UNMARKED_MAX => 1000;    # characters of two columns side by side; mostly under 200

my $VALUE = qr/^[\d.,]+ *[A-Za-z]+$/a;

# Title, rate, unit, seconds and passes, baseline and index
my $OF_PAGE =
    qr/^(\S(?:.*?\S)?) +([\d.,]+) +([A-Za-z]+) +([\d.,]+ s +\d+)((?: +[\d.,]+ +[\d.,]+)?)$/a;

# What a column holds, by its head
my %ROLE = (
    baseline => qr/^baseline$/i,
    rate     => qr/^(?:result|score)$/i,
    index    => qr/^index$/i,
    copies   => qr/^(?:parallel|copies|parallel copies)$/i,
    unit     => qr/^units?$/i,
    seconds  => qr/^time$/i,
    samples  => qr/^(?:iters[.]?|iterations|samples|passes)$/i,
);

sub columns {
    my ($is, @lines) = @_;
    my %state = (streams => [ [] ], head => [], labelled => {});
    for my $line (@lines) {
        my @cells = cells($line->{text});
        @cells = unmarked_columns($is, $line->{text}) if @cells < 2;
        if (@cells < 2) {
            push @{ $state{streams}[0] }, of_page($line);
            @state{qw(head labelled)} = ([], {}) if length $line->{text};
            next;
        }
        next if !grep { !/^[-+:= ]*$/ } @cells;    # a rule under a head
        add($is, \%state, $line->{number}, @cells);
    }
    return grep { defined && @{$_} } @{ $state{streams} };
}

# A row of the suite's page, pasted as text: a result with its row of the index table
sub of_page {
    my ($line) = @_;
    my ($title, $rate, $unit, $passes, $more) = $line->{text} =~ $OF_PAGE or return $line;
    my ($seconds, $samples) = split / s +/, $passes;
    my @lines = { text => "$title $rate $unit ($seconds s, $samples samples)" };
    my ($baseline, $index) = split q{ }, $more;
    unshift @lines, { text => "$title $baseline $rate $index", in_table => 1 } if defined $index;
    return map { { %{$_}, number => $line->{number} } } @lines;
}

sub cells {
    my ($text) = @_;
    return if $text !~ /[|]/;
    my @cells = split /[|]/, $text, -1;
    s/^[ *]+|(?<![ *])[ *]+$//g for @cells;
    shift @cells if $cells[0] eq q{} && $text =~ /^[|]/;
    pop @cells if @cells && $cells[-1] eq q{};
    return @cells;
}

# Two columns without a mark between them (pr -m, sdiff): both are lines of a report of one
# kind
sub unmarked_columns {
    my ($is, $text) = @_;
    my $whole = $is->{known}->($text);
    return if defined $whole && $whole =~ /^(?:result|row|score|table|copies)/;
    return if length $text > UNMARKED_MAX;
    while ($text =~ / (?=\S)/g) {
        my $at = pos $text;
        my ($left, $right) = (substr($text, 0, $at) =~ s/ +$//r, substr $text, $at);
        next if substr($left, 0, 3) ne substr($right, 0, 3) && substr($text, $at - 2, 1) ne q{ };
        my $kind = $is->{known}->($left)   or next;
        my $other = $is->{known}->($right) or next;
        return ($left, $right) if $kind eq $other;
    }
    return;
}

sub add {
    my ($is, $state, $number, @cells) = @_;
    my ($title, @values) = @cells;
    my $push = sub {
        my ($i, @lines) = @_;
        push @{ $state->{streams}[$i] }, map { { number => $number, %{$_} } } @lines;
        return;
    };
    my @whole = grep { length($_) && !/^[-=]+$/ && !$is->{known}->($_) } @cells;
    if (!@whole) {    # whole lines of several reports
        for my $i (grep { length $cells[$_] } 0 .. $#cells) {
            $push->($i, { text => $cells[$i] });
        }
        return;
    }
    my $is_title = $is->{title}->($title);
    return if !$is_title && is_head($is, $state, $push, @cells);
    if (is_for_machines($is_title, $title, @values)) {
        for my $i (grep { length $values[$_] } 0 .. $#values) {
            label($state, $push, $i);
            $push->($i, { text => "$title $values[$i]" });
        }
        return;
    }
    $push->(0, row_lines($state->{head}, $is_title, @cells));
    return;
}

# Each value is a result, or a score, of another machine
sub is_for_machines {
    my ($is_title, $title, @values) = @_;
    return if !@values;
    return !grep { length($_) && !/$VALUE/ } @values if $is_title;
    return if @values < 2 || $title !~ / Index Score/;
    return !grep { !/^[\d.,]*$/a } @values;
}

# A row without numbers gives the columns their names
sub is_head {
    my ($is, $state, $push, @cells) = @_;
    return if $is->{known}->(join q{ }, @cells) || grep { /^[\d.,]+(?: [A-Za-z]+)?$/a } @cells;
    my @roles = map {
        my $cell = $_;
        first { $cell =~ $ROLE{$_} } sort keys %ROLE
    } @cells;
    @{$state}{qw(head labelled)} = ([], {});
    $state->{head} = [ map { { name => $cells[$_], role => $roles[$_] } } 0 .. $#cells ];
    return 1;
}

sub label {
    my ($state, $push, $i) = @_;
    return if $state->{labelled}{$i}++;
    my $column = $state->{head}[ $i + 1 ];
    my $name = $column && length $column->{name} ? $column->{name} : undef;
    $push->($i, { label => $name }) if defined $name;
    return;
}

# A row of a table as lines of a report, by what the head calls its columns
sub row_lines {
    my ($head, $is_title, @cells) = @_;
    my %of = map { $head->[$_] && $head->[$_]{role} ? ($head->[$_]{role} => $cells[$_]) : () }
        1 .. $#cells;
    return { text => join q{ }, grep { length } @cells } if !$is_title || !defined $of{rate};
    my @lines;
    push @lines, { copies => $of{copies} } if defined $of{copies} && $of{copies} =~ /^\d{1,5}$/a;
    push @lines, { text   => join(q{ }, $cells[0], @of{qw(baseline rate index)}), in_table => 1 }
        if defined $of{baseline} && defined $of{index} && length $of{index};
    if (defined $of{unit}) {
        my $passes =
               defined $of{seconds}
            && defined $of{samples}
            && length $of{samples} ? " ($of{seconds}, $of{samples} samples)" : q{};
        push @lines, { text => "$cells[0] $of{rate} $of{unit}$passes" };
    }
    return @lines;
}

1;
