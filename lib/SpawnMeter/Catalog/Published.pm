# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Published;

# The published experiments that ./Run sweep repeats: what is measured for each.
# Analysis::Published says what the figures come to, Report::Published how they are shown.
#
#   list() -> [experiment];  named(name) -> experiment, or undef
#   cells(experiment, tests of the catalog) -> (cells, sweep record)
#
# An experiment: { name, title, axis, references => [files of results/reference, without
# .json, the experiment's own figures first], passes => of each cell, takes_count => true
# where --count means something, cells => [ { test, label, options, arguments, count,
# free => true where it is not pinned } ] }

use strict;
use warnings;
use List::Util                   qw(first);
use SpawnMeter::Analysis::Record ();

my @TLPI_METHODS = qw(fork vfork clone forkexec vforkexec);
my @TLPI_SIZES = (
    { label => 'base', options => [] },
    { label => '+1M', options  => [qw(--heap 1M)] },
    { label => '+10M', options => [qw(--heap 10M)] },
);

# Table 28-3 of The Linux Programming Interface (M. Kerrisk, 2010): the time to create
# 100,000 processes at three sizes; and what the remarks beside the table need
sub tlpi {
    my @cells;
    for my $size (@TLPI_SIZES) {
        push @cells, map {
            my @exec = /exec/ ? (qw(--exec /bin/true)) : ();
            { test => $_, label => $size->{label}, options => [ @exec, @{ $size->{options} } ] }
        } @TLPI_METHODS;
    }
    push @cells,
        map { { test => $_, label => '+300M', options => [qw(--heap 300M)] } } qw(fork vfork clone);
    push @cells,
        map { { test => $_, label => '100 files', options => [qw(--files 100)] } } qw(vfork clone);
    push @cells, { test => 'clone', label => 'bare', options => ['--raw'] };
    return {
        name        => 'tlpi-28-3',
        title       => 'Table 28-3 of The Linux Programming Interface',
        axis        => 'heap',
        references  => ['tlpi-2.6.27'],
        passes      => 20,
        takes_count => 1,
        cells       => \@cells,
    };
}

# M. Dillon's "fork speed vs /bin/sh" (freebsd-current, 2003-11-27): 5,000 times fork or
# vfork and exec of a static or a dynamic sh with the arguments -c exit 0
sub dillon {
    my %shell = ('static' => 'sh-static', 'dynamic' => 'sh-dynamic', '/bin/sh' => '/bin/sh');
    my @cells;
    for my $label ('static', 'dynamic', '/bin/sh') {
        push @cells, map { {
            test      => $_,
            label     => $label,
            options   => [ '--exec', $shell{$label} ],
            arguments => [qw(-c exit 0)],
            count     => 1000,
        } } qw(vforkexec forkexec);
    }
    return {
        name       => 'dillon-2003',
        title      => 'fork speed vs /bin/sh, 2003',
        axis       => 'shell',
        references => ['dragonfly-2003-athlon64'],
        passes     => 9,
        cells      => \@cells,
    };
}

# "Comparing the speed of process creation on Linux and Windows" (a weblog, 2012): the
# time of 1,000 creations of a program that only returns 0, not waited for, and of 1,000
# threads, not joined
sub linux_windows {
    return {
        name       => 'linux-windows-2012',
        title      => 'Linux and Windows, 2012',
        axis       => 'way',
        references => [ 'linux-2012-ubuntu-10.04', 'windows-2012-xp' ],
        passes     => 5,
        cells      => [
            map { {
                test    => $_,
                label   => '1000',
                options => [qw(--burst 1000)],
                count   => 1000,
                free    => 1,
            } } qw(forkexec vforkexec posix_spawn thread)
        ],
    };
}

sub list { return [ tlpi(), dillon(), linux_windows() ] }

sub named {
    my ($name) = @_;
    return first { $_->{name} eq $name } @{ list() };
}

sub cells {
    my ($experiment, $tests) = @_;
    my %test = map { $_->{name} => $_ } @{$tests};
    my @cells = map { cell_of($test{ $_->{test} }, $_) } @{ $experiment->{cells} };
    my (%label, %series);
    my @labels = grep { !$label{$_}++ } map { $_->{value} } @cells;
    my @series = grep { !$series{$_}++ } map { $_->{series} } @cells;
    my $head = SpawnMeter::Analysis::Record::sweep(
        (map { $_ => $experiment->{$_} } qw(name title axis)),
        values => \@labels,
        series => \@series,
        x      => [ map { undef } @labels ],
        cells  => [ sort map { "$_->{value} $_->{series}" } @cells ],
    );
    return (\@cells, $head);
}

sub cell_of {
    my ($test, $wanted) = @_;
    return SpawnMeter::Analysis::Record::cell(
        %{$test},
        test      => $test->{name},
        series    => $test->{name},
        value     => $wanted->{label},
        title     => "$test->{name}, $wanted->{label}",
        copies    => 1,
        pinned    => $wanted->{free} ? 0 : 1,
        options   => $wanted->{options},
        arguments => $wanted->{arguments} || $test->{arguments},
        count     => $wanted->{count},
    );
}

1;
