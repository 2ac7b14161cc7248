# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Compared;

# The tables of ./Run compare, as text or Markdown, as lines of reports.  Pure functions.
#
#   compared(titles of Import::Words, lines of Import::Lines) -> ([lines] of each machine, in the
#       form of Import::Tables, ..., [all lines, empty where they are in such a table])

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Words qw(line_of_rate test_named test_of);

our @EXPORT_OK = qw(compared);

my $COPIES = qr/(?:[1-9]\d{0,4}|[?]) cop(?:y|ies)|a copy on each CPU(?:: \d{1,5} and \d{1,5})?/ai;
my $INDEX = qr/((?:System|Process|\dD Graphics) )?index(?: of (?:\d+ tests?|.*)|, partial: .*)?/a;

sub compared {
    my ($titles, @lines) = @_;
    my %state = (titles => $titles, machines => {}, order => [], called => {});
    my @others;
    for my $line (@lines) {
        my $text = $line->{text};
        my @cells = $text =~ /[|]/ ? cells_of_markdown($text) : ();
        $state{head} = undef if $text !~ /\S/;
        my $is_own = begins(\%state, $text, @cells) || $state{head} && row(\%state, $line, @cells);
        $state{called}{$1} = unescaped($2) if $text =~ /^([\w.+-]{1,9}): ([^;]+)(?:;|$)/a;
        push @others, $is_own ? { %{$line}, text => q{} } : $line;
    }
    return ((map { $state{machines}{$_} } @{ $state{order} }), \@others);
}

sub cells_of_markdown {
    my ($text) = @_;
    return map { unescaped($_) } split /(?<!\\)[|]/, $text =~ s/^[|]//r;
}

sub unescaped { my ($text) = @_; return $text =~ s/\\(?=[^\w\s])|\\(?=_)//gr =~ s/^ +| +$//gr }

# The line that names the copies of a table, or its columns
sub begins {
    my ($state, $text, @cells) = @_;
    if ($text =~ /^(?:($COPIES): ($INDEX|no index)|(a copy on each CPU: .*))$/) {
        @{$state}{qw(block index)} = ($1 // $+, $2);
        return 1;
    }
    my @heads = @cells ? @cells : $text =~ /(95 %|\S+)/g;
    if (!@cells && $text =~ /^(?:($COPIES) +)?(\S{1,9}) +(\S{1,9}) +delta +95 %$/) {
        $state->{block} = $1 if defined $1;
        $state->{head} = [ 'test', $2, $3 ];
    } elsif (@cells && "@heads[ 0, 1 ]" eq 'test copies' && "@heads[ 4, 5 ]" eq 'delta 95 %') {
        $state->{head} = [ qw(test copies), @heads[ 2, 3 ] ];
    } elsif (defined $state->{block} && $text =~ /^(?:[|] )?machine\b.*\S/) {
        $state->{head} = \@heads;
    } else {
        return $state->{head} && $text =~ /^[|]?[-:|]+$/;
    }
    return 1;
}

# A row of the table -> true where it is one
sub row {
    my ($state, $line, @cells) = @_;
    my ($first, @heads) = @{ $state->{head} };
    return machine($state, $line, \@heads, @cells) if $first eq 'machine';
    my @given = @cells ? @cells : $line->{text} =~ /^(\S.*?) +(\S+) +(\S+) +(?:\S+%|-) +\S+/;
    @given = (shift @given, $state->{block}, @given) if !@cells;
    my ($title, $copies, @values) = @given;
    return if !defined $values[1];
    my @copies = ($copies // q{}) =~ /(\d+)/g;
    my @names = map { $state->{called}{$_} // $_ } @heads[ -2, -1 ];

    for my $i (0, 1) {
        my $own = $copies[ $i < @copies ? $i : 0 ] || 0;
        add($state, $line, $names[$i], [ $own, $title, $values[$i] ]);
    }
    return 1;
}

# The row of a machine in a ranking
sub machine {
    my ($state, $line, $heads, @cells) = @_;
    if (!@cells) {
        my $values = join q{ +}, map { '(\S+)' } @{$heads};
        @cells = $line->{text} =~ /^\d+ (\S.*?) +$values(?: [a-zA-Z]+)?$/ or return;
    }
    my ($name, @values) = @cells;
    $name =~ s/ [(]\d+(?: of \d+)?[)]|[*]$//g;
    my %value_of = map { $heads->[$_] => $values[$_] } grep { length $heads->[$_] } 0 .. $#{$heads};
    my ($copies) = ($value_of{copies} // $state->{block}) =~ /(\d+)/a or return;
    my ($score, $index) = (delete $value_of{score}, $state->{index});
    delete @value_of{ 'copies', 'place', '95 %', 'ratio' };
    add($state, $line, $name, [ $copies, $index, $score ]) if defined $index && defined $score;

    for my $head (sort keys %value_of) {
        my ($test, $unit) = $head =~ m{^([^/]+)(/s)?$};
        add($state, $line, $name, [ $copies, $test, $value_of{$head} . ($unit // q{}) ]);
    }
    return 1;
}

# Adds a value of a test or of an index to a machine; an index has no line in a report without its
# tests, so it becomes a remark
sub add {
    my ($state, $line, $name, $what) = @_;
    my ($copies, $title, $value) = @{$what};
    my %more = ($title // q{}) =~ /^$INDEX$/ ? remark($title, $copies, $value) : ();
    my $test = test_of($state->{titles}, $title) || test_named($state->{titles}, $title);
    %more = map { (text => $_) } line_of_rate($test->{title}, $value) if $test;
    return if !%more;
    my $lines = lines_of($state, $name, $line);
    return if grep { ($_->{text} // q{}) eq ($more{text} // q{-}) } @{$lines};
    my ($before) = map { $_->{copies} // () } reverse @{$lines};
    push @{$lines}, { number => $line->{number}, copies => $copies } if ($before // -1) != $copies;
    push @{$lines}, { number => $line->{number}, %more };
    return;
}

# The lines of a machine, whose name another table may have cut
sub lines_of {
    my ($state, $name, $line) = @_;
    my @alike = grep { index($_, $name) == 0 } @{ $state->{order} };
    return $state->{machines}{ $alike[0] } if @alike == 1 || @alike && $alike[0] eq $name;
    push @{ $state->{order} }, $name;
    return $state->{machines}{$name} = [ { number => $line->{number}, label => $name } ];
}

sub remark {
    my ($title, $copies, $value) = @_;
    return if $value !~ /^[\d.]+$/a;
    my $many = $copies == 1 ? '1 copy' : "$copies copies";
    return (condition => "In the text: $title, $many: $value");
}

1;
