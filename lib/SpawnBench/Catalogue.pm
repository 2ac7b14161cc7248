package SpawnBench::Catalogue;

# Reads tests.list: names, titles, categories, groups; checks them.
#
#   load(file) -> { tests => [ { name, title, category, groups => [],
#                                length => 'long' or 'short', options => [] } ],
#                   categories => [ [name, title, [names of a complete set]] ],
#                   default => [names] }
#   choose(catalogue, names) -> the tests of these names and groups, each once,
#                   in the order of the catalogue
#
# All die with a message that says what to do.

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first);
use SpawnBench::Nearest qw(nearest);

our @EXPORT_OK = qw(load choose groups_of complete_sets);

# What scripts that read reports take for a title
my $TITLE = qr/^[A-Z][\w\-() ]+$/;

sub load {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my %catalogue = (tests => [], categories => [], default => []);
    while (my $line = <$in>) {
        chomp $line;
        next if $line =~ /^\s*(?:#|$)/;
        my @fields = map { trim($_) } split /\|/, $line, -1;
        my $problem = add_line(\%catalogue, @fields);
        die "$file, line $.: $problem\n" if defined $problem;
    }
    close $in or die "$file: $!\n";
    die "$file: no test in it\n" if !@{ $catalogue{tests} };
    return \%catalogue;
}

sub trim {
    my ($text) = @_;
    $text =~ s/^\s+//;
    $text =~ s/\s+$//;
    return $text;
}

# Returns what is wrong with the line, or undef
sub add_line {
    my ($catalogue, @fields) = @_;
    if ($fields[0] eq 'category' && @fields == 4) {
        push @{ $catalogue->{categories} }, [ @fields[ 1, 2 ], [ split q{ }, $fields[3] ] ];
        return;
    }
    if ($fields[0] eq 'default' && @fields == 2) {
        $catalogue->{default} = [ split q{ }, $fields[1] ];
        return;
    }
    return add_test($catalogue, @fields);
}

sub add_test {
    my ($catalogue, @fields) = @_;
    return 'a test has six fields: name | title | category | groups | length | options' if @fields != 6;
    my ($name, $title, $category, $groups, $length, $options) = @fields;
    return "'$name' is no name of a program: letters, digits, point, hyphen" if $name !~ /^\w[\w.-]*$/;
    return "the title '$title' must begin with a capital and hold only letters, digits, blanks, - ( )"
        if $title !~ $TITLE;
    return "there is a test '$name' already" if first { $_->{name} eq $name } @{ $catalogue->{tests} };
    return "there is a title '$title' already" if first { $_->{title} eq $title } @{ $catalogue->{tests} };
    return "no category '$category' above" if !first { $_->[0] eq $category } @{ $catalogue->{categories} };
    return "the length '$length' is neither long nor short" if $length !~ /^(?:long|short)$/;
    push @{ $catalogue->{tests} },
        {
        name     => $name,
        title    => $title,
        category => $category,
        groups   => [ split q{ }, $groups ],
        length   => $length,
        options  => [ split q{ }, $options ],
        };
    return;
}

# { group => [names of its tests] }
sub groups_of {
    my ($catalogue) = @_;
    my %group;
    for my $test (@{ $catalogue->{tests} }) {
        push @{ $group{$_} }, $test->{name} for @{ $test->{groups} };
    }
    return \%group;
}

# complete_sets(catalogue, { test => baseline }) -> { category => [names] }: the
# tests without which a category's score is partial
sub complete_sets {
    my ($catalogue, $baseline) = @_;
    my %all;
    for my $category (@{ $catalogue->{categories} }) {
        my ($name, undef, $named) = @{$category};
        my @own = map { $_->{name} } grep { $_->{category} eq $name } @{ $catalogue->{tests} };
        $all{$name} = @{$named} ? $named : [ grep { $baseline->{$_} } @own ];
    }
    return \%all;
}

sub choose {
    my ($catalogue, @wanted) = @_;
    @wanted = @{ $catalogue->{default} } if !@wanted;
    my $groups = groups_of($catalogue);
    my %known = map { $_->{name} => 1 } @{ $catalogue->{tests} };
    my %chosen;
    for my $name (@wanted) {
        if    ($groups->{$name}) { $chosen{$_} = 1 for @{ $groups->{$name} } }
        elsif ($known{$name})    { $chosen{$name} = 1 }
        else                     { die unknown($name, keys %known, keys %{$groups}) }
    }
    return grep { $chosen{ $_->{name} } } @{ $catalogue->{tests} };
}

sub unknown {
    my ($name, @all) = @_;
    my $near = nearest($name, @all);
    return "no test or group '$name'" . (defined $near ? "; did you mean '$near'?" : q{})
        . " ('./Run list' shows them)\n";
}

1;
