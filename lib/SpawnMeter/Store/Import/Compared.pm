# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Compared;

# The tables of ./Run compare, as text or Markdown, as lines of reports.  Pure functions.
#
#   compared(titles of Import::Words, lines of Import::Lines) -> ([lines] of each machine, in the
#       form of Import::Tables, ..., [all lines, empty where they are in such a table])

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Words qw(printed_rate test_named);
use SpawnMeter::Util::Format         qw(copies);

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
    if (!@cells && $text =~ /^(?:($COPIES) +)?\S{1,9} +\S{1,9} +delta +95 %$/) {
        $state->{block} = $1 if defined $1;
        $state->{head} = [ 'test', @heads[ -4 .. -1 ] ];
    } elsif (@cells > 5 && "@cells[ 0, 1, 4, 5 ]" eq 'test copies delta 95 %'
        || defined $state->{block} && $text =~ /^(?:[|] )?machine\b.*\S/) {
        $state->{head} = \@heads;
    } else {
        return $state->{head} && $text =~ /^[|]?[-:|]+$/;
    }
    return 1;
}

# A row, of a test with two machines or of a machine in a ranking -> true where it is one
sub row {
    my ($state, $line, @cells) = @_;
    my (undef, @heads) = @{ $state->{head} };
    my $values = join q{ +}, ('(\S+)') x @heads;
    @cells = $line->{text} =~ /^(?:\d+ )?(\S.*?) +$values(?: [a-zA-Z ]+)?$/ if !@cells;
    my ($name, %value_of) = shift @cells // return;
    @value_of{@heads} = @cells;
    my ($copies, $more) = ($value_of{copies} // $state->{block} // q{}) =~ /(\d+)/ag;
    my @copies = ($copies // 0, $more // $copies // 0);

    if (exists $value_of{delta}) {
        my ($i) = grep { $heads[$_] eq 'delta' } 0 .. $#heads;
        return if !defined $cells[ $i - 1 ];
        my @names = map { $state->{called}{$_} // $_ } @heads[ $i - 2, $i - 1 ];
        add($state, $line, $names[$_], [ $copies[$_], $name, $cells[ $i - 2 + $_ ] ]) for 0, 1;
        return 1;
    }
    $name =~ s/ [(]\d+(?: of \d+)?[)]|[*!]$//g;
    my ($score, $index) = (delete $value_of{score}, $state->{index});
    delete @value_of{ 'copies', 'place', '95 %', 'ratio', q{} };
    add($state, $line, $name, [ $copies[0], $index, $score ]) if defined $index && defined $score;
    for my $head (grep { defined $value_of{$_} } sort keys %value_of) {
        my ($test, $unit) = $head =~ m{^(.+?)(/s)?$};
        add($state, $line, $name, [ $copies[0], $test, $value_of{$head} . ($unit // q{}) ]);
    }
    return 1;
}

# Adds a value of a test or of an index to a machine; an index has no line in a report without its
# tests, so it becomes a remark
sub add {
    my ($state, $line, $name, $what) = @_;
    my ($copies, $title, $value) = @{$what};
    my $test = test_named($state->{titles}, $title);
    my %rate = $test ? printed_rate($value) : ();
    my %more = remark($copies, $title, $value);
    %more = (item => { kind => 'result', test => $test, %rate }) if %rate;
    return if !%more;
    my $lines = lines_of($state, $name, $line);
    return if %rate && $state->{known}{"$lines $copies $test"}++;    # a ranking has medians
    my ($before) = map { $_->{copies} // () } reverse @{$lines};
    push @{$lines}, { number => $line->{number}, copies => $copies } if ($before // -1) != $copies;
    push @{$lines}, { %{$line}, %more };
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
    my ($copies, $title, $value) = @_;
    return if $title !~ /^$INDEX$/ || $value !~ /^[\d.]+$/a;
    return (text => undef, condition => "In the text: $title, " . copies($copies) . ": $value");
}

1;
