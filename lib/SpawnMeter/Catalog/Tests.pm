# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Tests;

# Reads tests.list: names, titles, categories, groups; checks them.
#
#   load(file) -> { tests => [ { name, title, category, groups => [], tree,
#                       classic => { length => 'long' or 'short', seconds, options => [] },
#                       slice => seconds or undef, program, options => [],
#                       arguments => [] after --, environment => {}, input } ],
#                   categories => [ { name, title, tests => [names of a complete set] } ],
#                   default => [names] }
#   choose(catalog, names) -> the tests of these names and groups, each once,
#                   in the order of the catalog
#   bundled(catalog) -> the tests of the portable bundle
#
# tree: the program and its files are those of a classic UnixBench tree.
# Both die with a message that says what to do.

use strict;
use warnings;
use Exporter 'import';
use List::Util               qw(first);
use SpawnMeter::Util::File   qw(each_line);
use SpawnMeter::Util::Format qw(did_you_mean);

our @EXPORT_OK = qw(load choose bundled groups_of complete_sets);

# Tests of the bundle besides the default ones
my @BUNDLED = qw(pipe context1 syscall);

# Titles that the scripts which read reports accept.  The tests of a classic tree keep
# their titles.
my $TITLE = qr/^[A-Z][\w\-() ]+$/;
my $TREE_TITLE = qr/^[A-Z\d][\w\-() :']+$/;

sub load {
    my ($file) = @_;
    my %catalog = (tests => [], categories => [], default => []);
    each_line($file, sub { return add_line(\%catalog, $_[0]) });
    die "$file: contains no test\n" if !@{ $catalog{tests} };
    return \%catalog;
}

# Returns what is wrong with the line, or undef
sub add_line {
    my ($catalog, $line) = @_;
    return 'a control character' if $line =~ /[\x00-\x08\x0b-\x1f\x7f]/;
    my @fields = map { s/^\s+|\s+$//gr } split /[|]/, $line, -1;
    if ($fields[0] eq 'category' && @fields == 4) {
        my %category =
            (name => $fields[1], title => $fields[2], tests => [ split q{ }, $fields[3] ]);
        push @{ $catalog->{categories} }, \%category;
        return;
    }
    if ($fields[0] eq 'default' && @fields == 2) {
        $catalog->{default} = [ split q{ }, $fields[1] ];
        return;
    }
    return add_test($catalog, @fields);
}

sub add_test {
    my ($catalog, @fields) = @_;
    return 'a test has seven fields: name | title | category | groups | classic | slice | command'
        if @fields != 7;
    my ($name, $title, $category, $groups, $classic, $slice, $command) = @fields;
    return "'$name' is not a name of a test: letters, digits, point, hyphen"
        if $name !~ /^\w[\w.-]*$/;
    my %test = (
        name     => $name,
        title    => $title,
        category => $category,
        groups   => [ split q{ }, $groups ]
    );
    my $problem = add_command(\%test, $command) || add_lengths(\%test, $classic, $slice);
    return $problem if $problem;
    return
        "the title '$title' must begin with a capital and hold only letters, digits, blanks, - ( )"
        if $title !~ ($test{tree} ? $TREE_TITLE : $TITLE);
    return "the test '$name' is defined twice"
        if first { $_->{name} eq $name } @{ $catalog->{tests} };
    return "the title '$title' is used twice"
        if first { $_->{title} eq $title } @{ $catalog->{tests} };
    return "the category '$category' is not defined above this line"
        if !first { $_->{name} eq $category } @{ $catalog->{categories} };
    push @{ $catalog->{tests} }, \%test;
    return;
}

# "short 30 --prime" and "0.5"; returns what is wrong, or undef
sub add_lengths {
    my ($test, $classic, $slice) = @_;
    my ($length, $seconds, @options) = split q{ }, $classic;
    $length = q{} if !defined $length;
    return "the length '$length' is neither long nor short" if $length !~ /^(?:long|short)$/;
    return "'$classic' has no number of seconds, such as: long 10"
        if ($seconds || q{}) !~ /^[1-9]\d{0,4}$/;
    return "the slice '$slice' is not a number of seconds"
        if $slice !~ /^(?:\d+(?:[.]\d+)?)?$/ || $slice eq '0';
    $test->{classic} = { length => $length, seconds => $seconds + 0, options => \@options };
    $test->{slice} = length $slice ? $slice + 0 : undef;
    return;
}

# "NAME=value program --option -- argument"; of a tree: "tree:program argument <file"
sub add_command {
    my ($test, $command) = @_;
    my @words = split q{ }, $command;
    my %environment;
    while (@words && $words[0] =~ /^([A-Z_]+)=(.*)$/) { $environment{$1} = $2; shift @words }
    my $program = @words && $words[0] !~ /^-/ ? shift @words : $test->{name};
    $test->{tree} = $program =~ s/^tree:// ? 1 : 0;
    return "'$program' is not a name of a program: letters, digits, point, hyphen"
        if $program !~ /^\w[\w.-]*$/;
    $test->{input} = $1 if $test->{tree} && @words && $words[-1] =~ /^<([\w.-]+)$/ && pop @words;
    my $dash = first { $words[$_] eq q{--} } 0 .. $#words;
    my @arguments = defined $dash ? splice(@words, $dash) : q{--};
    @{$test}{qw(program options arguments environment)} =
        ($program, \@words, [ @arguments[ 1 .. $#arguments ] ], \%environment);
    return;
}

# { group => [names of its tests] }
sub groups_of {
    my ($catalog) = @_;
    my %group;
    for my $test (@{ $catalog->{tests} }) {
        push @{ $group{$_} }, $test->{name} for @{ $test->{groups} };
    }
    return \%group;
}

# complete_sets(catalog, { test => baseline }) -> { category => [names] }: the
# tests without which a category's score is partial
sub complete_sets {
    my ($catalog, $baseline) = @_;
    my %all;
    for my $category (@{ $catalog->{categories} }) {
        my ($name, $named) = @{$category}{qw(name tests)};
        my @own = map { $_->{name} } grep { $_->{category} eq $name } @{ $catalog->{tests} };
        $all{$name} = @{$named} ? $named : [ grep { $baseline->{$_} } @own ];
    }
    return \%all;
}

sub choose {
    my ($catalog, @wanted) = @_;
    my @all = map { $_->{name} } @{ $catalog->{tests} };
    my %names = (map({ $_ => [$_] } @all), %{ groups_of($catalog) }, all => \@all);
    my %chosen;
    for my $name (@wanted ? @wanted : @{ $catalog->{default} }) {
        die "unknown test or group '$name'"
            . did_you_mean($name, [ keys %names ])
            . " ('./Run list' shows them)\n"
            if !$names{$name};
        $chosen{$_} = 1 for @{ $names{$name} };
    }
    return grep { $chosen{ $_->{name} } } @{ $catalog->{tests} };
}

sub bundled {
    my ($catalog) = @_;
    return choose($catalog, @{ $catalog->{default} }, @BUNDLED);
}

1;
