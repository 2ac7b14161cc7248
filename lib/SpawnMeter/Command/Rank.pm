# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Rank;

# ./Run rank [RUN]: where the results of a run stand among those of posted machines, or of the
# user's own runs and posts.
#
#   run(suite) -> exit status: 1 where a line of a posted report could not be read

use strict;
use warnings;
use Cwd                           ();
use SpawnMeter::Analysis::Results qw(blocks is_of_tests);
use SpawnMeter::Catalog::Baseline;
use SpawnMeter::Catalog::Machines  qw(files load machines_of place ranked_results sentence);
use SpawnMeter::Command::Output    qw(print_text);
use SpawnMeter::Command::Selection qw(score_by);
use SpawnMeter::Command::Show      qw(report_unread);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(folded visible);

use constant WIDTH => 80;

my @NOTES = (
    'Machines differ in compilers, C libraries, mitigations and neighbours, too: '
        . 'a place is no verdict about a kernel.',
    'UnixBench 5 and 6: spawn and execl have here 0.995 and 1.014 times the rate of their '
        . 'programs (./Run help rank).',
);

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    die 'rank: takes one run, got ' . @names . "; --against DIR compares one with others\n"
        if @names > 1;
    my ($runs, $unread) = loaded($suite, @names ? @names : 'latest');
    my $against = $suite->{option}{against};
    my ($machines, $who) =
        defined $against ? (own($suite, $against, $runs), 'others') : (posted($suite), undef);
    my @texts = map { ranked($_, $machines, $who || 'posted machines') } @{$runs};
    print_text(join("\n", @texts) . "\n" . join q{}, map { folded(q{}, $_, WIDTH) } @NOTES);
    return $unread ? 1 : 0;
}

# -> ([ { run, name, file, blocks } ], number of lines of posted reports that could not be read)
sub loaded {
    my ($suite, $name) = @_;
    my $score_by = score_by($suite);
    my $unread = 0;
    my @runs;
    for my $file (SpawnMeter::Store::Find::files($suite, $name)) {
        my $found = SpawnMeter::Store::RunFile::load_all($file, $suite->{catalog}{tests});
        report_unread($file, $found->{unread});
        $unread += grep { !$_->{aside} } @{ $found->{unread} };
        for my $run (grep { is_of_tests($_) } @{ $found->{runs} }) {
            push @runs,
                {
                run    => $run,
                file   => $file,
                blocks => blocks($run, $score_by),
                name($run, $file)
                };
        }
    }
    die "rank: $name has no results of tests; sweeps, A/A and A/B runs have no place\n" if !@runs;
    return (\@runs, $unread);
}

sub name {
    my ($run, $file) = @_;
    my ($short) = $file =~ m{([^/]+?)(?:[.](?:json|part))?\z};
    return name => $run->{label} || $run->{name} || $short;
}

sub posted {
    my ($suite) = @_;
    my @tests = map { $_->{name} } @{ $suite->{catalog}{tests} };
    my $found = SpawnMeter::Catalog::Baseline::load("$suite->{root}/pgms", undef, \@tests);
    return [ map { @{ load($_, $found->{baseline}) } } files($suite->{root}) ];
}

# The runs and posts in a folder, or those of another name, without the run itself
sub own {
    my ($suite, $name, $runs) = @_;
    my %ranked = map { Cwd::abs_path($_->{file}) => 1 } grep { -e $_->{file} } @{$runs};
    my ($others) = loaded($suite, $name);
    my @machines;
    for my $other (grep { !-e $_->{file} || !$ranked{ Cwd::abs_path($_->{file}) } } @{$others}) {
        push @machines,
            map { { %{$_}, cpu => $other->{name} } } @{ machines_of(@{$other}{qw(run blocks)}) };
    }
    die "rank: $name has no other run\n" if !@machines;
    return \@machines;
}

sub ranked {
    my ($ranked, $machines, $who) = @_;
    my ($run, $blocks) = @{$ranked}{qw(run blocks)};
    my @lines;
    for my $block (@{$blocks}) {
        my $cpus = $block->{cpus} || ($run->{system} || {})->{cpus_online};
        for my $result (ranked_results($block)) {
            my $place = place($result, $cpus, $machines) or next;
            push @lines, folded('  ', visible(sentence($result, $place, $who)), WIDTH, q{ } x 6);
        }
    }
    @lines = folded('  ', nothing($run, $blocks), WIDTH) if !@lines;
    return visible($ranked->{name}) . "\n" . join q{}, @lines;
}

sub nothing {
    my ($run, $blocks) = @_;
    return 'No place: it was measured with options that change the work of the tests.'
        if $run->{unscored};
    return 'No place: other processes were busy, so its results are not those of the machine.'
        if grep { $_->{busy} } map { @{ $_->{results} } } @{$blocks};
    return 'No place: it has no result of spawn, execl or the tests of Process Benchmarks at a '
        . 'number of copies that others have.';
}

1;
