# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Selection;

# The tests, the runs and the baseline that a command line asks for.
#
#   score_by(suite, run or undef) -> { baseline => { test => rate }, form => '5' or '4.1', all =>
#       { category => [names of a complete set] } }; warnings go to standard error.  Of an imported
#       run by the baselines that its report prints, if the user has named none
#   misprinted(suite, run) -> misprints (Analysis::Score) of an imported run
#   loaded(suite, [files], thorough => true or false) -> ([ { run, name => its own or of its file,
#       file, score_by } ], how many lines of posted reports could not be read, or files of
#       several); without what identifies the site, if the user wants that
#   read_file(suite, file, true where it is the only one, thorough => true or false) -> ([run], how
#       many lines of a posted report could not be read), or nothing where the file cannot be read.
#       What cannot be read is reported on standard error; dies with the only file
#   stored_run(path) -> the run in this file, or undef where it cannot be read, which is reported
#   selected(suite, names) -> { tests => [test], tree => classic tree or undef, score_by }; dies
#       where a name is unknown, and says which tests are left out for want of a tree

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Score qw(blocks misprints printed_baseline);
use SpawnMeter::Catalog::Baseline;
use SpawnMeter::Catalog::Tests ();
use SpawnMeter::Measure::Build;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(bytes nearest folded plain visible visible_lines);

use constant LINE_MAX => 100;    # characters of a line that is quoted in a message

our @EXPORT_OK = qw(score_by misprinted loaded read_file selected stored_run);

sub score_by {
    my ($suite, $run) = @_;
    my $catalog = $suite->{catalog};
    my $named = $suite->{option}{baseline};
    return printed_score_by($suite, $run) if $run && $run->{printed} && !defined $named;
    return $suite->{score_by} if $suite->{score_by};
    my @names = map { $_->{name} } @{ $catalog->{tests} };
    push @names, map { @{ $_->{tests} } } @{ $catalog->{categories} };
    my $score_by = SpawnMeter::Catalog::Baseline::load("$suite->{root}/pgms", $named, \@names);
    print {*STDERR} visible_lines(join q{}, @{ $score_by->{warnings} });
    $score_by->{all} = SpawnMeter::Catalog::Tests::complete_sets($catalog, $score_by->{baseline});
    return $suite->{score_by} = $score_by;
}

sub misprinted {
    my ($suite, $run) = @_;
    return if !$run->{printed};
    return misprints($run, blocks($run, printed_score_by($suite, $run)));
}

# By the baselines that a post prints; a report of SpawnMeter without any is scored by those here
sub printed_score_by {
    my ($suite, $run) = @_;
    my ($catalog, $baseline) = ($suite->{catalog}, printed_baseline($run));
    $baseline = score_by($suite)->{baseline} if !%{$baseline} && $run->{posted};
    my $sets = SpawnMeter::Catalog::Tests::complete_sets($catalog, $baseline);
    my %set = map { $_->{title} => $sets->{ $_->{name} } } @{ $catalog->{categories} };
    my %all = map { $_->{name} => $set{ $_->{title} } || [] } @{ $run->{categories} || [] };
    return { baseline => $baseline, form => $run->{form} || '5', all => \%all };
}

sub stored_run {
    my ($path) = @_;
    my ($run, $why) = SpawnMeter::Store::RunFile::load_or_why($path);
    print {*STDERR} visible_lines("Run: left out: $why") if !$run;
    return $run;
}

sub read_file {
    my ($suite, $file, $is_alone, @depth) = @_;

    # by the baseline of the classic suite the reader of posts turns an index into a rate
    my $classic = SpawnMeter::Catalog::Baseline::load("$suite->{root}/pgms", undef, [])->{baseline};
    my @tests =
        map { { %{$_}, baseline => $classic->{ $_->{name} } } } @{ $suite->{catalog}{tests} };
    my $loaded = eval { SpawnMeter::Store::RunFile::load_all($file, \@tests, @depth) };
    if (!$loaded) {
        die $@ if $is_alone;
        print {*STDERR} visible_lines("Run: left out: $@");
        return;
    }
    for my $line (@{ $loaded->{unread} }) {
        print {*STDERR} visible("$file, line $line->{line}: ignored: $line->{why}: "),
            bytes(plain($line->{text}, LINE_MAX)), "\n";
    }
    return ($loaded->{runs}, scalar grep { !$_->{aside} } @{ $loaded->{unread} });
}

sub loaded {
    my ($suite, $files, @depth) = @_;
    my ($unread, @runs) = (0);
    my $anonymous = $suite->{option}{anonymous};
    require SpawnMeter::Analysis::Fingerprint if $anonymous;
    for my $file (@{$files}) {
        my ($stored, $lines) = read_file($suite, $file, @{$files} == 1, @depth);
        $unread += $lines // 1;
        my ($short) = $anonymous ? 'run' : $file =~ m{([^/]+?)(?:[.](?:json|part))?\z};
        for my $run (@{ $stored || [] }) {
            $run = SpawnMeter::Analysis::Fingerprint::anonymous($run) if $anonymous;
            my %named = (file => $file, name => $run->{name} // $short);
            push @runs, { %named, run => $run, score_by => scalar score_by($suite, $run) };
        }
    }
    return (\@runs, $unread);
}

# Dies where a name is no test, and says what it may be: a sweep, a command, a run, or nearly one.
sub check_names {
    my ($suite, @names) = @_;
    my $catalog = $suite->{catalog};
    my $groups = SpawnMeter::Catalog::Tests::groups_of($catalog);
    my %line = map { $_ => $_ } 'all', keys %{$groups}, map { $_->{name} } @{ $catalog->{tests} };
    my $label = $suite->{option}{label};
    print {*STDERR} "Run: '$label' is the label here, and no test is named: to measure $label give"
        . " --label TEXT $label\n"
        if !@names && defined $label && $line{$label};
    my ($name) = grep { !$line{$_} } @names or return;
    my %other = (diff => './Run compare', version => './Run --version', clean => 'make clean');
    require SpawnMeter::Catalog::Experiments;
    require SpawnMeter::Catalog::Sweeps;
    $other{$_} = "./Run sweep $_"
        for @{ SpawnMeter::Catalog::Experiments::names($suite->{root}) },
        map { $_->{name} } @{ SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list}) };
    $other{$_} = "./Run $_" for @{ $suite->{commands} || [] };
    $other{$_} = 'rm results/NAME results/NAME.*' for qw(rm delete remove);
    $other{cores} = '--pin cores' if ($suite->{option}{pin} || q{}) eq 'usable';
    die "'$name' is not a test: the command is $other{$name}\n" if $other{$name};
    my $near = nearest($name, keys %line, keys %other);
    my $what = other_than_test($suite, $name);
    $what //= "did you mean '$other{$near}'?" if defined $near && $other{$near} && !$line{$near};
    die "unknown test or group '$name'; $what\n" if defined $what;
    return;
}

sub other_than_test {
    my ($suite, $name) = @_;
    my $pin = $suite->{option}{pin};
    return "a list of CPUs has commas: --pin $pin,$name"
        if defined $pin && "$pin $name" =~ /^\d\S* \d+\z/a;
    return 'a unit follows its number without a blank, as in 100MB and 10s'
        if $name =~ /^(?:[kmgt]i?b?|ms|s|sec|min|h|%)\z/i;
    return "it is a program: ./Run --exec $name posix_spawn"
        if $name =~ m{/} && -f $name && -x _;
    return "to print that run: ./Run show $name; to compare it: ./Run compare $name RUN"
        if $name =~ m{^latest(?:~|\z)|/|[.](?:json|html|csv|log|txt|part)\z}
        || -e "$suite->{results}/$name.json";
    return 'names have blanks between them: ' . $name =~ tr/,/ /r if $name =~ /,/;
    return;
}

# Without names, a baseline of 4.1 selects the tests of its table that are here.
sub selected {
    my ($suite, @names) = @_;
    my $score_by = score_by($suite);
    my @given = @names;
    @names = sort keys %{ $score_by->{baseline} } if !@names && $score_by->{form} eq '4.1';
    my $named = $suite->{option}{'classic-tree'};
    my $tree = SpawnMeter::Measure::Build::tree_folder($named // $ENV{UB_CLASSIC});
    check_names($suite, @names);
    my @tests = SpawnMeter::Catalog::Tests::choose($suite->{catalog}, @names);

    @tests = without_tree($suite, \@tests, @given) if !defined $tree;
    return { tests => \@tests, tree => $tree, score_by => $score_by };
}

# -> those that need no tree; dies where none is left, or where one that needs a tree was named
sub without_tree {
    my ($suite, $tests, @names) = @_;
    my %named = map { $_ => 1 } @names;
    my @own = grep { !$_->{tree} } @{$tests};
    my @left_out = map { $_->{name} } grep { $_->{tree} } @{$tests};
    my @wanted = @own ? grep { $named{$_} } @left_out : @left_out;
    die join(q{, }, @wanted)
        . ': only in a UnixBench tree; name one with --classic-tree DIR or UB_CLASSIC' . "\n"
        if @wanted;
    print {*STDERR} folded('Left out, as only a UnixBench tree has them (--classic-tree DIR): ',
        "@left_out", undef, q{  })
        if @left_out && !$suite->{option}{quiet};
    return @own;
}

1;
