# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Record;

# From what was read to run records.  Pure functions.
#
#   record(run of Import::Run) -> (run record, or undef where the run has no results;
#       lines that are not read: { line, text, why })

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Record      qw(run settings test);
use SpawnMeter::Store::Import::Settle qw(settle);
use SpawnMeter::Store::Schema         qw(FORMAT SCHEMA);

our @EXPORT_OK = qw(record);

use constant FACTOR => 10;    # of an index; version 3.11 has none

# Baselines that show which suite has printed a table without a version: name of the test,
# baseline => version
my %VERSION = (
    'dhry2reg 116700'   => '4.1.0',
    'execl 43'          => '4.1.0',
    'spawn 126'         => '4.1.0',
    'dhry2reg 376783.7' => '4.1-wht.2',
    'execl 188.3'       => '4.1-wht.2',
    'spawn 569.3'       => '4.1-wht.2',
);

sub record {
    my ($run) = @_;
    my $form = form($run);
    my (@printed, @unread);
    for my $block (@{ $run->{blocks} }) {
        push @unread, of_another_version($block) if $form ne '3.11';
        push @unread, @{ settle($block, $form eq '3.11' ? 1 : FACTOR) };
        my @cells = map { $block->{cells}{$_} } @{ $block->{order} };
        push @printed, map { printed($_, $block) } grep { $_->{figures} } @cells;
        $block->{read} = grep { $_->{figures} } @cells;
    }
    my @lost = grep { !$_->{block}{read} } @{ $run->{scores} };
    push @unread,
        map { { line => $_->{line}, text => $_->{text}, why => 'no results stand with it' } } @lost;
    return (undef, @unread) if !@printed;
    my @scores = map { score($_) } grep { $_->{block}{read} } @{ $run->{scores} };
    return (run_record($run, $form, \@printed, \@scores), @unread);
}

# Rows whose title is one of 3.11, in a table that is not
sub of_another_version {
    my ($block) = @_;
    my @cells = grep { $_->{only_in} } values %{ $block->{cells} };
    return map { {
        line => $_->{line},
        text => $_->{text},
        why  => 'no test of its index table has this title'
    } }
        map { splice @{ $_->{rows} } } @cells;
}

sub form {
    my ($run) = @_;
    return '3.11' if ($run->{suite} || q{}) =~ /^UnixBench 3[.]/;
    my ($form) = grep { defined } map { $_->{form} } @{ $run->{blocks} };
    return $form || '5';
}

sub printed {
    my ($cell, $block) = @_;
    return {
        %{ $cell->{details} || {} },
        (map { $_ => $cell->{$_} } qw(test title unit)),
        %{ $cell->{figures} },
        copies => $block->{copies},
    };
}

sub score {
    my ($score) = @_;
    return {
        copies => $score->{block}{copies},
        map { $_ => $score->{$_} } qw(title score partial)
    };
}

sub run_record {
    my ($run, $form, $printed, $scores) = @_;
    return run(
        format     => FORMAT,
        schema     => SCHEMA,
        kind       => 'imported',
        suite      => suite($run, $form, $printed),
        host       => $run->{host},
        system     => $run->{system},
        categories => categories($run, $printed),
        form       => $form,
        blocks     => blocks($run),
        printed    => $printed,
        scores     => $scores,
        tests      => tests($printed),
        protocol   => settings(name => $run->{protocol} || 'imported'),
        passes     => [],
        conditions => [ labels($run) ],
        posted     => $run->{posted},
        build      => [ $run->{posted} ? build(@{ $run->{posted}{head} }) : () ],
        complete   => defined $run->{incomplete} ? 0 : 1,
        reason     => $run->{incomplete},
    );
}

# As Run stores it: compiler and linker, and then the C library.  The report has a line for each;
# of a text that was cut off before the last one nothing is known.
sub build {
    my (@head) = @_;
    my @lines = map { /^Build: (.+)/ } @head;
    return if @lines < 2 || $lines[-1] !~ /^(?:glibc|musl|libc unknown)\b/;
    my $libc = pop @lines;
    return (join('; ', @lines), $libc);
}

# A table of 4.1 without a version is that of one of two versions
sub suite {
    my ($run, $form, $printed) = @_;
    return $run->{suite} if defined $run->{suite};
    return $form eq '3.11' ? 'UnixBench 3.11' : 'UnixBench' if $form ne '4.1';
    my ($version) = grep { defined }
        map { $VERSION{"$_->{test} $_->{baseline}"} } grep { $_->{baseline} } @{$printed};
    return join q{ }, 'UnixBench', grep { defined } $version;
}

# Words of the text before the tables, so that its runs can be told apart
sub labels {
    my ($run) = @_;
    my %seen;
    my @blocks = grep { $_->{read} && defined $_->{label} } @{ $run->{blocks} };
    return map { "Label in the text: $_" } grep { !$seen{$_}++ } map { $_->{label} } @blocks;
}

# The index tables as they follow in the text
sub in_order {
    my ($run, @titles) = @_;
    my @scores = map { $_->{title} } @{ $run->{scores} };
    my %place = map { $scores[$_] => $_ } reverse 0 .. $#scores;
    return sort {
        (defined $place{$a} ? $place{$a} : @scores) <=> (defined $place{$b} ? $place{$b} : @scores)
            || $a cmp $b
    } @titles;
}

sub categories {
    my ($run, $printed) = @_;
    my %seen;
    my @titles = grep { defined && $_ ne '4.1' && !$seen{$_}++ } map { $_->{category} } @{$printed};
    return [ map { { name => $_, title => $_, tests => [] } } in_order($run, @titles) ];
}

# Those with results
sub blocks {
    my ($run) = @_;
    my @blocks;
    for my $block (grep { $_->{read} } @{ $run->{blocks} }) {
        my @known = grep { defined $block->{$_} } qw(copies cpus date from to);
        push @blocks, { map { $_ => $block->{$_} } @known };
    }
    return \@blocks;
}

sub tests {
    my ($printed) = @_;
    my %seen;
    my @first = grep { !$seen{ $_->{test} }++ } @{$printed};
    return [ map { test(name => $_->{test}, title => $_->{title}, category => $_->{category}) }
            @first ];
}

1;
