# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Tests;

# Reads and checks tests.list.
#
#   load(file) -> { tests => [ { name, title, category, groups => [], no_process, tree,
#                       classic => { length => 'long' or 'short', seconds, options => [] },
#                       slice => seconds or undef, program, options => [],
#                       arguments => [] after --, environment => {}, input } ],
#                   categories => [ { name, title, tests => [names of a complete set] } ],
#                   features => { program => [features] }, default and bundle => [names] }
#   choose(catalog, names) -> the tests of these names and groups, each once, in its order
#   groups_of(catalog) -> { group => [names of its tests] }
#   has_feature(catalog, test, feature) -> true where its program has it; all have `all`
#   with_feature(catalog, feature) -> names of the tests whose program has it and no other options
#   complete_sets(catalog, { test => baseline }) -> { category => [tests of a complete score] }
#
# tree: the program and its files are those of a classic UnixBench tree.
# Both die with a message that says what to do.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Record qw(record);
use SpawnMeter::Util::File       qw(each_line named_fields);
use SpawnMeter::Util::Format     qw(did_you_mean);

our @EXPORT_OK = qw(load choose groups_of complete_sets has_feature with_feature);

use constant NO_PROCESS => 'no-process';    # the mark among the groups

# Scripts that read reports accept only such titles; the tests of a classic tree keep theirs.
my @FIELDS = (
    [ name  => qr/^\w[\w.-]*$/, 'letters, digits, points, hyphens' ],
    [ title => qr/^[A-Z\d][\w\-() :']+$/, 'a capital, then letters, digits, blanks, - ( )' ],
    ['category'],
    ['groups'],
    [ classic => qr/^(?:long|short) +[1-9]\d{0,4}(?: |$)/, 'long or short, seconds, options' ],
    [ slice   => qr/^(?:(?!0$)\d+(?:[.]\d+)?)?$/, 'a number of seconds' ],
    ['command'],
);
my $TITLE = qr/^[A-Z][\w\-() ]+$/;          # of a test of our own

sub load {
    my ($file) = @_;
    my %catalog = (tests => [], categories => [], features => {}, default => []);
    each_line($file, sub { add_line(\%catalog, @_[ 1 .. $#_ ]) });
    die "$file: contains no test\n" if !@{ $catalog{tests} };
    return \%catalog;
}

sub add_line {
    my ($catalog, $what, @fields) = @_;
    my @words = @fields ? split q{ }, $fields[-1] : ();
    if ($what eq 'category' && @fields == 3) {
        push @{ $catalog->{categories} },
            { name => $fields[0], title => $fields[1], tests => \@words };
    } elsif ($what =~ /^(?:default|bundle)\z/ && @fields == 1) {
        $catalog->{$what} = \@words;
    } elsif ($what eq 'features' && @fields == 2) {
        $catalog->{features}{ $fields[0] } = \@words;
    } else {
        push @{ $catalog->{tests} }, test_of($catalog, $what, @fields);
    }
    return;
}

sub test_of {
    my ($catalog, @fields) = @_;
    my $line = named_fields(\@FIELDS, @fields);
    my ($name, $title, $category) = @{$line}{qw(name title category)};
    my ($length, $seconds, @options) = split q{ }, $line->{classic};
    my @groups = split q{ }, $line->{groups};
    my $test = record(
        test       => name => $name,
        title      => $title,
        category   => $category,
        groups     => [ grep { $_ ne NO_PROCESS } @groups ],
        no_process => (grep { $_ eq NO_PROCESS } @groups) ? 1 : 0,
        classic    => { length => $length, seconds => $seconds + 0, options => \@options },
        slice      => length $line->{slice} ? $line->{slice} + 0 : undef,
        command_of($name, $line->{command}),
    );
    die "title: '$title' is not of letters, digits, blanks, - ( )\n"
        if !$test->{tree} && $title !~ $TITLE;
    for my $other (@{ $catalog->{tests} }) {
        die "the test '$name' is defined twice\n" if $other->{name} eq $name;
        die "the title '$title' is used twice\n" if $other->{title} eq $title;
    }
    die "the category '$category' is not defined above this line\n"
        if !grep { $_->{name} eq $category } @{ $catalog->{categories} };
    return $test;
}

# -> the parts of a command "NAME=value program --option -- argument", "tree:program argument <file"
sub command_of {
    my ($name, $command) = @_;
    my ($settings, $program, $words) =
        $command =~ /^((?:[A-Z_]+=\S*(?:\s+|$))*)((?:[^-\s]\S*)?)(.*)/;
    my $tree = $program =~ s/^tree:// ? 1 : 0;
    $program = $name if !length $program;
    die "'$program' is not a name of a program: letters, digits, point, hyphen\n"
        if $program !~ /^\w[\w.-]*$/;
    my @input = $tree && $words =~ s/\s<([\w.-]+)$// ? (input => $1) : ();
    my ($options, $arguments) = split /(?:^|\s)--(?=\s|$)/, $words, 2;
    return (
        @input,
        tree        => $tree,
        program     => $program,
        options     => [ split q{ }, $options   || q{} ],
        arguments   => [ split q{ }, $arguments || q{} ],
        environment => { map { split /=/, $_, 2 } split q{ }, $settings },
    );
}

sub groups_of {
    my ($catalog) = @_;
    my %group;
    for my $test (@{ $catalog->{tests} }) {
        push @{ $group{$_} }, $test->{name} for @{ $test->{groups} };
    }
    return \%group;
}

sub has_feature {
    my ($catalog, $test, $feature) = @_;
    return $feature eq 'all'
        || grep { $_ eq $feature } @{ $catalog->{features}{ $test->{program} } };
}

sub with_feature {
    my ($catalog, $feature) = @_;
    my @bare = grep { !@{ $_->{options} } && !@{ $_->{arguments} } } @{ $catalog->{tests} };
    return map { $_->{name} } grep { has_feature($catalog, $_, $feature) } @bare;
}

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

1;
