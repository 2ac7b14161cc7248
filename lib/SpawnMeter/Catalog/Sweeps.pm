# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Sweeps;

# The list of sweeps (sweeps.list), and the cells that a sweep measures.
#
#   load(file) -> [ { name, title, axis, tests => [words], option, quantity => of Analysis::Quantity
#       or undef, values => [words] } ]; dies with file and line of a malformed one
#   named(sweeps, name, other names to suggest) -> sweep; dies where it is unknown
#   cells(sweep, catalog's tests, CPUs to use) -> ([cell records], sweep record); a sweep may have
#       measures => [ { tests, option, values } ] in place of one of each, or parts => [sweeps]
#       that are measured together.  A cell's `value` is its label, its `series` the test with the
#       options that are its own
#   size(text) -> bytes of 10M and the like, a number, or undef

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Quantity qw(quantities);
use SpawnMeter::Analysis::Record   qw(record);
use SpawnMeter::Util::File         qw(each_line named_fields);
use SpawnMeter::Util::Format       qw(did_you_mean);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(load cells named);

sub load {
    my ($file) = @_;
    my @sweeps;
    each_line($file, sub { add_sweep(\@sweeps, @_[ 1 .. $#_ ]) });
    die "$file: contains no sweep\n" if !@sweeps;
    return \@sweeps;
}

my @FIELDS = (
    [ name => qr/^[a-z][\w-]*\z/, 'a letter, then letters, digits, hyphens' ],
    ['title'], ['axis'], [ tests => qr/./, 'a list of tests' ],
    ['option'], [ values => qr/./, 'a list of values' ],
);

sub add_sweep {
    my ($sweeps, @fields) = @_;
    my $sweep = named_fields(\@FIELDS, @fields);
    my $quantity = $sweep->{option} =~ s/\@of=(\S+)\s*// ? $1 : undef;
    die "\@of=$quantity is not one of " . join(q{, }, quantities()) . "\n"
        if defined $quantity && !grep { $_ eq $quantity } quantities();
    die "the sweep '$sweep->{name}' is defined twice\n"
        if grep { $_->{name} eq $sweep->{name} } @{$sweeps};
    $sweep->{$_} = [ split q{ }, $sweep->{$_} ] for qw(tests values);
    push @{$sweeps}, { %{$sweep}, quantity => $quantity };
    return;
}

sub named {
    my ($sweeps, $name, @more) = @_;
    my ($sweep) = grep { $_->{name} eq $name } @{$sweeps};
    return $sweep if $sweep;
    my @all = (@more, map { $_->{name} } @{$sweeps});
    die "unknown sweep '$name'" . did_you_mean($name, \@all) . " ('./Run list' shows them)\n";
}

my %UNIT = (k => 1024, m => 1024**2, g => 1024**3);

sub size {
    my ($text) = @_;
    return if $text !~ /^(\d{1,15}(?:[.]\d+)?)([kKmMgG]?)\z/;
    return $1 * (length $2 ? $UNIT{ lc $2 } : 1);
}

# -> what the words of a cell say: its options, and how it is placed
sub placed {
    my (@words) = @_;
    my %cell = (options => [], arguments => undef);
    while (@words) {
        my $word = shift @words;
        if    ($word eq q{--})                        { $cell{arguments} = [@words]; last }
        elsif ($word eq '@static')                    { $cell{static} = 1 }
        elsif ($word =~ /^\@env=([A-Z_]+)=(.*)\z/)    { $cell{environment}{$1} = $2 }
        elsif ($word =~ /^\@(free|pinned)\z/)         { $cell{pinned} = $1 eq 'pinned' ? 1 : 0 }
        elsif ($word =~ /^\@copies=([1-9]\d{0,3})\z/) { $cell{copies} = $1 + 0 }
        elsif ($word =~ /^\@count=([1-9]\d{0,8})\z/)  { $cell{count} = $1 + 0 }
        else                                          { push @{ $cell{options} }, $word }
    }
    return \%cell;
}

sub cells {
    my ($sweep, $tests, $cpus) = @_;
    my ($cells, %head) =
        $sweep->{parts} ? together($sweep, $tests, $cpus) : of_values($sweep, $tests, $cpus);
    my %seen;
    $head{$_} = $sweep->{$_} for qw(name title quantity);
    $head{series} = [ grep { !$seen{$_}++ } map { $_->{series} } @{$cells} ];
    $head{cells} = [ map { "$_->{value} $_->{series}" } @{$cells} ]
        if $sweep->{parts} || $sweep->{measures};
    return ($cells, \%head);
}

# -> (cells, parts of the sweep record): each value and series once, in the order of the list
sub of_values {
    my ($sweep, $tests, $cpus) = @_;
    my (@cells, @labels, @x, %once);
    for my $one (@{ $sweep->{measures} || [$sweep] }) {
        my $measure = { %{$one}, name => $sweep->{name} };
        for my $value (values_of($measure, $cpus)) {
            push @labels, $value->{label} if !$once{"value $value->{label}"};
            push @x, $value->{number} if !$once{"value $value->{label}"}++;
            push @cells, grep { !$once{"$_->{value} $_->{series}"}++ }
                map { cell_of($measure, $_, $value) } series_of($measure, $tests);
        }
    }
    find_tools($_) for @cells;
    return (\@cells, axis => $sweep->{axis}, values => \@labels, x => \@x);
}

sub together {
    my ($sweep, $tests, $cpus) = @_;
    my (@cells, @heads, @labels);
    for my $part (@{ $sweep->{parts} }) {
        my ($own, $head) = cells($part, $tests, $cpus);
        push @heads, $head;
        push @labels, map { "$part->{name} $_" } @{ $head->{values} };
        for my $cell (@{$own}) {
            my %named = (value => "$part->{name} $cell->{value}");
            push @cells, record(cell => %{$cell}, %named, title => "$part->{name}: $cell->{title}");
        }
    }
    my @x = (undef) x @labels;
    return (\@cells, axis => 'sweep and value', values => \@labels, x => \@x, parts => \@heads);
}

# Replaces PATH/NAME by that program of the search path, or skips the cell where there is none.
sub find_tools {
    my ($cell) = @_;
    for my $option (grep { m{^PATH/} } @{ $cell->{options} }) {
        my ($name) = $option =~ m{^PATH/(.*)}s;
        my $path = SpawnMeter::Util::Programs::found($name);
        if   (defined $path) { $option = $path }
        else                 { $cell->{skip} = "$name is not installed" }
    }
    return;
}

# -> { label, words, number } of each "LABEL=option,option" or "VALUE".  A label that stands for
# options is a name, even if it is a number.
sub values_of {
    my ($sweep, $cpus) = @_;
    my %number = (CPUS => $cpus, TWICE => 2 * $cpus);
    my @values;
    for my $value (map { of_powers($_, $cpus) } @{ $sweep->{values} }) {
        my ($label, $words) = split /=/, $value, 2;
        my $is_name = defined $words;
        $words = $label if !$is_name;
        s/\b(CPUS|TWICE)\b/$number{$1}/g for $label, $words;
        my $number = $is_name ? undef : scalar size($label);
        push @values, { label => $label, words => $words, number => $number };
    }
    return @values;
}

# -> values; POWERS stands for each power of 2 below the number of CPUs, and for that number
sub of_powers {
    my ($value, $cpus) = @_;
    return $value if $value !~ /\bPOWERS\b/;
    my @powers = (1);
    push @powers, 2 * $powers[-1] while 2 * $powers[-1] < $cpus;
    push @powers, $cpus if $cpus > 1;
    return map { $value =~ s/\bPOWERS\b/$_/gr } @powers;
}

# -> { test, name with its options but VALUE, words => options } of "test" or "test:--option,..."
sub series_of {
    my ($sweep, $tests) = @_;
    my %test = map { $_->{name} => $_ } @{$tests};
    my @series;
    for my $wanted (@{ $sweep->{tests} }) {
        my ($name, $own) = split /:/, $wanted, 2;
        die "the sweep $sweep->{name} uses the unknown test '$name'\n" if !$test{$name};
        my @own = split /,/, $own // q{};
        my @shown = map { /^\@copies=/ ? '-c' : $_ } grep { $_ ne 'VALUE' } @own;
        push @series, { test => $test{$name}, name => join(q{ }, $name, @shown), words => \@own };
    }
    return @series;
}

sub cell_of {
    my ($sweep, $series, $value) = @_;
    my $test = $series->{test};
    my @words = map { $_ eq 'VALUE' ? split(/,/, $value->{words}) : s/VALUE\z/$value->{words}/r }
        @{ $series->{words} }, split q{ }, $sweep->{option};
    my $placed = placed(@words);
    return record(
        cell   => %{$test},
        test   => $series->{name},
        series => $series->{name},
        value  => $value->{label},
        title  => "$series->{name}, $value->{label}",
        copies => 1,
        pinned => 1,
        %{$placed},
        options   => [ @{ $test->{options} }, @{ $placed->{options} } ],
        arguments => $placed->{arguments} || $test->{arguments},
    );
}

1;
