# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Rank;

# ./Run rank [RUN]: where a run stands among posted machines, or among the user's runs and posts.
#
#   run(suite) -> exit status: 1 where a line of a posted report could not be read

use strict;
use warnings;
use Cwd                            ();
use SpawnMeter::Analysis::Results  qw(is_of_tests);
use SpawnMeter::Analysis::Score    qw(blocks);
use SpawnMeter::Catalog::Machines  qw(machines_of posted standings unposted);
use SpawnMeter::Command::Output    qw(print_text write_or_print);
use SpawnMeter::Command::Selection qw(loaded);
use SpawnMeter::Store::Find;
use SpawnMeter::Util::Format qw(folded visible);

use constant { WIDTH => 72, TRIED => 20 };    # columns; stored runs that are looked at

my @NOTES = (
    'Machines differ in compilers, C libraries, mitigations and neighbours, too: '
        . 'a place is no verdict about a kernel.',
    'Rates compare with those of UnixBench 5 and 6: spawn makes 0.995 and execl 1.014 times the '
        . 'rate of the classic program (./Run help rank).',
);

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    die 'rank: takes one run, got ' . @names . "; --against DIR compares one with others\n"
        if @names > 1;
    my $name = @names ? $names[0] : 'latest';
    my ($runs, $unread) = with_blocks($suite, SpawnMeter::Store::Find::files($suite, $name));
    die "rank: $name has no results of tests; sweeps, A/A and A/B runs have no place\n"
        if !@{$runs};
    my $against = $suite->{option}{against};
    my ($machines, $left_out) =
        defined $against ? own($suite, $against, $runs) : posted($suite->{root});
    my @texts = map { ranked($suite, $_, $machines) } @{$runs};
    my $text = join "\n", @texts, join q{}, map { folded(q{}, $_, WIDTH) } @NOTES;
    if   ($suite->{option}{html}) { page($suite, $runs->[0], $machines, $text) }
    else                          { print_text($text) }
    return $unread || $left_out ? 1 : 0;
}

# The page of the first run, whose title is its first place
sub page {
    my ($suite, $ranked, $machines, $text) = @_;
    require SpawnMeter::Report::HTML::Pair;
    my ($place) = $text =~ s/\s+/ /gr =~ /others (.*?quarter)\b/;
    my $name = visible($ranked->{name});
    my $title = defined $place ? "$name: $place" : "$name among posted machines";
    my $own = machines_of(@{$ranked}{qw(run blocks)});
    my @all = ($title, $name, $own, $machines, $text);
    return write_or_print($suite->{option}{to}, SpawnMeter::Report::HTML::Pair::posted(@all));
}

# -> ([ { run, name, path, blocks } ], lines of posted reports that could not be read)
sub with_blocks {
    my ($suite, @files) = @_;
    my ($loaded, $unread) = loaded($suite, \@files);
    my @runs = grep { is_of_tests($_->{run}) } @{$loaded};
    for my $entry (@runs) {
        $entry->{name} = $entry->{run}{label} if $entry->{run}{label};
        $entry->{blocks} = blocks($entry->{run}, $entry->{score_by});
        $entry->{path} = Cwd::abs_path($entry->{file}) || $entry->{file};
    }
    return (\@runs, $unread);
}

# -> ([machines] of the runs and posts (*.txt) of a folder or a name, but the ranked; unread lines)
sub own {
    my ($suite, $name, $runs) = @_;
    my %ranked = map { $_->{path} => 1 } @{$runs};
    my @posts = -d $name ? glob "\Q$name\E/*.txt" : ();
    my @files = (@posts, eval { SpawnMeter::Store::Find::files($suite, $name) });
    die $@ if !@files;
    my ($others, $unread) = with_blocks($suite, @files);
    my @machines;
    for my $other (grep { !$ranked{ $_->{path} } } @{$others}) {
        my $of_run = machines_of(@{$other}{qw(run blocks)});
        push @machines, map { { %{$_}, cpu => $other->{name} } } @{$of_run};
    }
    return @machines ? (\@machines, $unread) : die "rank: $name has no other quiet run of tests\n";
}

sub ranked {
    my ($suite, $ranked, $machines) = @_;
    my ($run, $blocks) = @{$ranked}{qw(run blocks)};
    my @lines = map { standings($run, $_, $machines) } @{$blocks};
    my @lacking = unposted($blocks, $run, $machines);
    push @lines, !@lines
        ? reason($suite, $ranked, $machines)
        : @lacking ? 'Nobody has posted: ' . join q{, }, @lacking : ();
    return
          visible($ranked->{name})
        . ", among @{[ scalar @{$machines} ]} results of others\n"
        . join q{}, map { folded('  ', visible($_), WIDTH, q{ } x 6) } @lines;
}

# Why the run has no place, and which stored run has one
sub reason {
    my ($suite, $ranked, $machines) = @_;
    my @results = map { @{ $_->{results} } } @{ $ranked->{blocks} };
    my $why =
          !(grep { !$_->{busy} } @results) ? 'other processes were busy beside all its results'
        : $ranked->{run}{unscored}         ? 'it was measured with options that change the work'
        :   'no other has one of its tests with its number of copies on a quiet machine';
    my @paths = SpawnMeter::Store::Find::newest($suite->{results}, 'run');
    for my $path (grep { defined } @paths[ 0 .. TRIED - 1 ]) {
        my ($others) = with_blocks($suite, $path);
        for my $other (@{$others}) {
            next if !grep { standings($other->{run}, $_, $machines) } @{ $other->{blocks} };
            my ($name) = $path =~ m{([^/]+)[.]json\z};
            return "No place: $why. ./Run rank $name has one.";
        }
    }
    return "No place: $why. Measure with ./Run on a quiet machine.";
}

1;
