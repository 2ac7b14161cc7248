# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Published;

# The published experiments, one file for each in the folder published, and in one that the
# environment names as UB_PUBLISHED: what was published, what ./Run sweep measures to repeat it,
# and which claims are judged.
#
#   names(root of the suite) -> [names], sorted; files are not read
#   file(root, name) -> path, or undef where there is no such experiment
#   list(root) -> [experiment] without those that are malformed; see problems()
#   problems(root) -> [ { name, why } ] of the malformed ones
#   named(root, name) -> experiment, or undef; dies with file and line of a malformed one
#   checked(suite, path) -> { experiment, cells => their number }; dies with what is wrong
#   cells(experiment, tests of the catalog, CPUs to use) -> (cells, sweep record); dies where a
#       test is unknown
#
# An experiment: { name, title, axis, form => name of a table form in code or undef, takes =>
#   [count and limits, where the options mean something], passes => of each cell or undef,
#   references => [files of results/reference, without .json, for the form],
#   source, address, unclear, notes => [lines],
#   needs => [ { kind => cpus, memory or system, amount } ],
#   machines => [ { name, words } ],
#   parts => [ { name or undef where it is the only one, title, axis, quantity => what its
#       figures are: time, cpu, creating or rate, measures => [ { tests, option, values } ] } ],
#   figures => [ { machine, series, label, measure, us or rate, text => as published, second =>
#       true where second-hand } ],
#   also => [ { words, text, second } ]: figures of what is not measured here,
#   columns => [names], rows => [ [fields] ]: a table,
#   claims => [ { words, from => machine or undef, published => text or undef, needs, lacks =>
#       what this version does not have, or undef; otherwise there are conditions,
#       conditions => [ { words or undef, text, and those of Published::Claim } ] } ] }
# A label of a part with a name is "part label".

use strict;
use warnings;
use File::Spec                            ();
use SpawnMeter::Analysis::Record          ();
use SpawnMeter::Catalog::Published::File  qw(read_file);
use SpawnMeter::Catalog::Published::Lines qw(label_in);
use SpawnMeter::Catalog::Sweeps           ();

# The user's own come first where two have a name
sub folders {
    my ($root) = @_;
    my $own = $ENV{UB_PUBLISHED};
    return (defined $own && length $own ? File::Spec->rel2abs($own) : (), "$root/published");
}

sub names {
    my ($root) = @_;
    my %seen;
    return [
        sort grep { !$seen{$_}++ }
        map { m{([^/]+)[.]txt\z} } map { glob "\Q$_\E/*.txt" } folders($root)
    ];
}

sub file {
    my ($root, $name) = @_;
    return if $name =~ m{/};
    my ($path) = grep { -f } map { "$_/$name.txt" } folders($root);
    return $path;
}

sub list {
    my ($root) = @_;
    return [
        map {
            eval { named($root, $_) }
                || ()
        } @{ names($root) }
    ];
}

sub problems {
    my ($root) = @_;
    return [
        map {
            eval { named($root, $_) }
                ? ()
                : { name => $_, why => $@ }
        } @{ names($root) }
    ];
}

sub named {
    my ($root, $name) = @_;
    my $path = file($root, $name);
    return defined $path ? read_file($path) : undef;
}

sub checked {
    my ($suite, $path) = @_;
    my $experiment = read_file($path);
    my %test = map { $_->{name} => 1 } @{ $suite->{catalog}{tests} };
    for my $measure (map { @{ $_->{measures} } } @{ $experiment->{parts} }) {
        my @unknown = grep { !$test{$_} } map { (split /:/, $_, 2)[0] } @{ $measure->{tests} };
        die "$path, line $measure->{line}: expected a test of tests.list, found '$unknown[0]'\n"
            if @unknown;
    }
    for my $figure (@{ $experiment->{figures} }) {
        my ($name) = split q{ }, $figure->{series};
        die "$path, line $figure->{line}: expected a test of tests.list, found '$name'\n"
            if !$test{$name};
    }
    my ($cells) = eval { cells($experiment, $suite->{catalog}{tests}, 1) };
    die "$path: $@" if !$cells;
    my @lost =
        grep { !-f "$suite->{root}/results/reference/$_.json" } @{ $experiment->{references} };
    die "$path: expected a file of results/reference, found '$lost[0]'\n" if @lost;
    return { experiment => $experiment, cells => scalar @{$cells} };
}

sub cells {
    my ($experiment, $tests, $cpus) = @_;
    my (@cells, @parts);
    for my $part (grep { @{ $_->{measures} } } @{ $experiment->{parts} }) {
        my ($own, $head) = cells_of_part($experiment, $part, $tests, $cpus);
        $_->{value} = label_in($part, $_->{value}) for @{$own};
        push @cells, @{$own};
        push @parts, $head;
    }
    my $has_names = grep { defined $_->{name} } @{ $experiment->{parts} };
    return (\@cells, $parts[0]) if @parts && !$has_names;
    return (\@cells, whole($experiment, \@cells, @parts));
}

# -> (cells with the labels of the part, its sweep record)
sub cells_of_part {
    my ($experiment, $part, $tests, $cpus) = @_;
    my (@cells, @values, @series, %x, %seen);
    for my $measure (@{ $part->{measures} }) {
        my ($own, $head) = SpawnMeter::Catalog::Sweeps::cells(
            {
                name => $experiment->{name},
                map { $_ => $measure->{$_} } qw(tests option values)
            },
            $tests, $cpus
        );
        my @values_here = @{ $head->{values} };
        @x{@values_here} = @{ $head->{x} };
        push @values, grep { !$seen{"value $_"}++ } @values_here;
        push @series, grep { !$seen{"series $_"}++ } @{ $head->{series} };
        push @cells, grep  { !$seen{"cell $_->{value} $_->{series}"}++ } @{$own};
    }
    my $head = SpawnMeter::Analysis::Record::sweep(
        name => $part->{name} || $experiment->{name},
        (map { $_ => $part->{$_} || $experiment->{$_} } qw(title axis)),
        values => \@values,
        series => \@series,
        x      => [ @x{@values} ],
        cells  => [ sort map { "$_->{value} $_->{series}" } @cells ],
    );
    return (\@cells, $head);
}

# The sweep record of several parts
sub whole {
    my ($experiment, $cells, @parts) = @_;
    my %once;
    my @labels = map {
        my $part = $_;
        map { "$part->{name} $_" } @{ $part->{values} }
    } @parts;
    return SpawnMeter::Analysis::Record::sweep(
        (map { $_ => $experiment->{$_} } qw(name title)),
        axis   => 'part and value',
        values => \@labels,
        series => [ grep { !$once{$_}++ } map { @{ $_->{series} } } @parts ],
        x      => [ map { undef } @labels ],
        cells  => [ sort map { "$_->{value} $_->{series}" } @{$cells} ],
        parts  => \@parts,
    );
}

1;
