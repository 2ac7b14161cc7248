# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Compare;

# ./Run compare: reads the runs that are named, compares each with the first, or the runs before
# -- with those after it, and prints the comparison.  A label stands for all runs that have it;
# of one label alone it prints how much its runs differ.
#
#   run(suite) -> exit status: 0; with --fail-if-slower 1 if a test is slower by at least so
#       much, and otherwise 3 if one may be; 2 if something could not be read or compared

use strict;
use warnings;
use Cwd                               qw(abs_path);
use File::Basename                    qw(dirname);
use File::Spec                        ();
use List::Util                        qw(min);
use SpawnMeter::Analysis::Anonymous   qw(anonymous anonymous_machines);
use SpawnMeter::Analysis::Comparison  qw(compare equal_runs reduce);
use SpawnMeter::Analysis::Fingerprint qw(differences identity same_machine);
use SpawnMeter::Analysis::Ranking     qw(add_costs ranking scores);
use SpawnMeter::Analysis::Score       qw(blocks misprints);
use SpawnMeter::Command::AB           qw(ab_of sides_of status_of);
use SpawnMeter::Command::Output       qw(spread_text print_report write_or_print);
use SpawnMeter::Command::Selection    qw(printed_score_by score_by);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Compare;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format   qw(did_you_mean visible visible_lines);
use SpawnMeter::Util::Parallel qw(in_parallel);

use constant {
    UNRANKED => 3,    # runs at most that are not ranked
};

# Of several runs
my @NOT_OF_AB = qw(html copies paired);

# What --anonymous leaves out is needed to compare
sub comparison_of {
    my ($suite, $first, @others) = @_;
    my (@pairs, %equals);
    for my $other (@others) {
        my @runs = (@{$first}, @{$other});
        my ($groups, @names) = equals_of($suite, @runs);
        @equals{@names} = ();
        push @pairs, compare($first, $other, equals => $groups, paired => $suite->{option}{paired});
    }
    my @shown = map { scalar shown($_) } $first, @others;
    @shown = anonymous_machines(@shown) if $suite->{option}{anonymous};
    my @names = $suite->{option}{anonymous} && %equals ? 'other runs' : sort keys %equals;
    return {
        machines    => \@shown,
        pairs       => \@pairs,
        differences => [ map { scalar differences($shown[0], $_) } @shown[ 1 .. $#shown ] ],
        equals      => \@names,
    };
}

# A group as one machine: its first run, with the label that all its runs have
sub shown {
    my ($group) = @_;
    my ($first, @more) = @{$group};
    return $first if !@more;
    my $label = $first->{run}{label};
    my $same = defined $label && !grep { ($_->{run}{label} || q{}) ne $label } @more;
    return {
        %{$first},
        name    => $same ? $label : "$first->{name} to $more[-1]{name}",
        run     => { %{ $first->{run} }, label => undef },
        runs    => 1 + @more,
        members => $group,
    };
}

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    die 'compare: needs two runs, got none; name files, folders, latest, latest~1, '
        . "or - for standard input\n"
        if !@names;
    my $ab = ab_of($suite, @names);
    if ($ab) {
        my @other = grep { $option->{$_} } @NOT_OF_AB;
        die "compare: --$other[0] is not for an A/B run alone; --markdown, --csv and --json print "
            . "it, and ./Run show --html its page\n"
            if @other;
        $ab = anonymous($ab) if $option->{anonymous};
        return SpawnMeter::Command::AB::report($suite, $ab);
    }
    score_by($suite);    # dies where there is no such baseline
    my @second = @{ $option->{target_arguments} };
    my @groups = gather($suite, \@names, @second ? \@second : ());
    if (@groups < 2) {
        return report_spread($suite, @{ $groups[0] }) if @groups && @{ $groups[0] } > 1;
        my @two = $names[0] eq 'latest' ? qw(latest~1 latest) : ($names[0], 'latest');
        die "compare: needs two runs, got one: @names; to compare two: ./Run compare @two\n";
    }
    check_pairs(@groups) if $option->{paired};
    my $comparison = comparison_of($suite, @groups);
    $comparison->{ranking} = ranking($comparison) if is_ranked($option, @groups);
    price($comparison->{ranking}, @{ $option->{cost} }) if $option->{cost};
    output($suite, $comparison);
    my @rows = named_rows($comparison);
    print {*STDERR} 'Run: ', nothing_in_common(@{ $comparison->{machines} }) if !@rows;
    return 2 if !@rows;
    return status_of($option->{'fail-if-slower'}, @rows);
}

# A posted text need not state its copies
sub nothing_in_common {
    my (@machines) = @_;
    my $remedy =
        (grep { !$_->{copies} } map { values %{ $_->{cells} } } @machines)
        ? '; -c N takes results that do not state it for those of N copies'
        : q{};
    return "the runs have no test at the same number of copies in common$remedy\n";
}

sub is_ranked {
    my ($option, @groups) = @_;
    return 1 if $option->{html} && (@groups > 2 || $option->{cost});
    return @groups > UNRANKED || @groups > 2 && grep { @{$_} > 1 } @groups;
}

# "small=0.10"; a name can contain =
sub price {
    my ($ranking, @costs) = @_;
    my %price = map { /\A(.+)=([\d.]+)\z/ ? ($1 => $2) : () } @costs;
    my ($unknown) = add_costs($ranking, \%price) or return;
    my @names = map { $_->{name} } @{ $ranking->{machines} };
    die "--cost: unknown machine '$unknown'"
        . did_you_mean($unknown, \@names, 'the machines are ' . join q{, }, @names) . "\n";
}

# Of one group
sub report_spread {
    my ($suite, @machines) = @_;
    my ($given) = grep { $suite->{option}{$_} } qw(markdown csv json fail-if-slower paired);
    die "compare: --$given needs two groups, got one\n" if defined $given;
    my ($text, $rows) = spread_text($suite, $machines[-1]{run}, @machines);
    print_report($suite, $text);
    return $rows ? 0 : 2;
}

# Of more than two groups each has the name of its own
sub named_rows {
    my ($comparison) = @_;
    my $several = @{ $comparison->{pairs} } > 1;
    return
        map { { %{$_}, name => $several ? $_->{to} : undef } }
        SpawnMeter::Report::Compare::rows($comparison);
}

sub check_pairs {
    my (@groups) = @_;
    my %size = map { scalar @{$_} => 1 } @groups;
    die "--paired: each side needs the same number of runs, at least 2\n"
        if keys %size > 1 || $size{1};
    return;
}

# Loads the modules of this form only
sub rendered {
    my ($comparison, $form) = @_;
    my $data = SpawnMeter::Report::Compare->can($form);
    return $data->($comparison) if $data;
    my $module =
        $form eq 'text' ? 'Compare::Text' : $comparison->{ranking} ? 'HTML::Many' : 'HTML::Pair';
    require("SpawnMeter/Report/" . ($module =~ s{::}{/}r) . '.pm');
    return "SpawnMeter::Report::$module"->can('render')->($comparison);
}

sub output {
    my ($suite, $comparison) = @_;
    my $option = $suite->{option};
    my $form = (grep { $option->{$_} } qw(markdown csv json html))[0] || 'text';
    my $text = rendered($comparison, $form);
    return write_or_print($option->{to}, $text) if $form ne 'text';
    return print_report($suite, $text);
}

# ---- machines ----
#
# Reads the runs that a comparison names.
#
#   gather(suite, [names], [names of the second group] or nothing) -> ([machines], ...), which are
#       groups: those before and after --, or without it the runs of each label, and each other run
#       by itself.  Machines of Analysis::Comparison, which also have host => name, identity =>
#       text, scores => [scores of Analysis::Ranking], page => path of the run's page relative to
#       that of the comparison, or undef.  Lines that cannot be read are reported; dies with the
#       first file
#
# Many files are read by several processes.  Of a folder only runs and posted reports count, no
# sweeps and no equal runs of noise.

use constant {
    MANY      => 16,    # files, from which on several processes read them
    PROCESSES => 4,     # at most: each needs about 30 MB
};

sub gather {
    my ($suite, @sides) = @_;
    $suite = { %{$suite}, only_copies => scalar only_copies($suite) };
    my @files;
    for my $side (0 .. $#sides) {
        push @files, map { named($suite, $_, @sides > 1 ? $side : undef) } @{ $sides[$side] };
    }
    @files = each_once(@files);
    my @results =
        in_parallel(processes(scalar @files), sub { return read_file($suite, @_) }, @files);
    my @machines;
    for my $i (0 .. $#results) {
        my ($read, $error) = @{ $results[$i] }{qw(value error)};
        die $error if defined $error;
        print {*STDERR} @{ $read->{reported} };
        push @machines, map { [ $files[$i]{group}, $_ ] } @{ $read->{machines} };
    }
    distinguish(map { $_->[1] } @machines);
    return grouped(@machines);
}

# A run that several names stand for (its text, its page) counts as the first of them
sub each_once {
    my (@files) = @_;
    my (%first, @once);
    for my $file (@files) {
        my ($path, $name) = @{$file}{qw(path name)};
        my $first = $first{ defined $path && $path ne q{-} && abs_path($path) || $file } ||= $name;
        if ($name eq $first) { push @once, $file; next }
        print {*STDERR} 'Run: ', visible("$first, $name"), ": one run, which counts once\n";
    }
    return @once;
}

# Runs of one name, as those of several hosts have it, get the host's name, or else that of their
# folder, in brackets
sub distinguish {
    my (@machines) = @_;
    my %of_name;
    push @{ $of_name{ $_->{name} } }, $_ for @machines;
    for my $same (grep { @{$_} > 1 } values %of_name) {
        for my $by (qw(host folder)) {
            my %seen = map { $_ => 1 } grep { defined } map { $_->{$by} } @{$same};
            next if keys %seen < @{$same};
            $_->{name} .= " ($_->{$by})" for @{$same};
            last;
        }
    }
    return;
}

# [group or undef, machine] ... -> [[machines], ...]
sub grouped {
    my (@machines) = @_;
    my (@groups, %group);
    for (@machines) {
        my ($name, $machine) = @{$_};
        push @groups, defined $name ? ($group{$name} = []) : [] if !defined $name || !$group{$name};
        push @{ defined $name ? $group{$name} : $groups[-1] }, $machine;
    }
    return @groups;
}

sub only_copies {
    my ($suite) = @_;
    my ($copies) = @{ $suite->{option}{copies} || [] };
    die "compare: --copies takes one number, got '$copies'\n"
        if defined $copies && $copies !~ /^\d+\z/a;
    return defined $copies ? $copies + 0 : undef;
}

sub processes {
    my ($files) = @_;
    return 1 if $files < MANY;
    return min(PROCESSES, scalar @{ SpawnMeter::Machine::Facts->new->allowed_cpus });
}

# The files that a name stands for: { name, path, in_folder, group => of the side, or else of the
# name where that is a label } or { name, error }
sub named {
    my ($suite, $name, $side) = @_;
    my @paths;
    eval { @paths = SpawnMeter::Store::Find::files($suite, $name, 'run'); 1 }
        or return { name => $name, error => $@ };
    my $in_folder = $name ne q{-} && -d $name;
    my $group = defined $side ? $side : @paths > 1 && !$in_folder ? "name $name" : undef;
    my %each = (name => $name, in_folder => $in_folder, group => $group);
    return map { { %each, path => $_ } } @paths;
}

# -> { machines => [machine], reported => [lines of messages] }
sub read_file {
    my ($suite, $file) = @_;
    die $file->{error} if defined $file->{error};
    my $path = $file->{path};
    return { machines => [], reported => [] }
        if $file->{in_folder} && SpawnMeter::Store::Find::kind($path) =~ /^(?:equals|sweep)\z/;
    my $found = SpawnMeter::Store::RunFile::load_all($path, $suite->{catalog}{tests});
    my @runs = @{ $found->{runs} };
    die "$path: a sweep, whose points are not results of tests; ./Run show prints it\n"
        if grep { $_->{sweep} } @runs;
    my $short = $path =~ m{([^/]+?)(?:[.]json|[.]samples)?\z} ? $1 : $path;
    my (@machines, @reported);

    for my $i (0 .. $#runs) {
        my $name = @runs > 1 ? "$short#" . ($i + 1) : $short;
        push @machines,
            map { machine($suite, $_->{run}, $_->{name}, $path) } sides_of($runs[$i], $name);
        push @reported, misprinted($suite, $runs[$i], $name) if $runs[$i]{printed};
    }
    push @reported,
        map { visible("$path, line $_->{line}: ignored: $_->{why}") . "\n" } @{ $found->{unread} };
    return { machines => \@machines, reported => \@reported };
}

# A run reduced to what is compared, with its index scores
sub machine {
    my ($suite, $run, $name, $path) = @_;
    my $machine = reduce($run, $name, $suite->{only_copies});
    return {
        %{$machine},
        host     => $run->{host},
        folder   => dirname($path),
        identity => scalar identity($machine),
        scores   => scores($machine, score_by($suite, $run)),
        page     => scalar page($suite, $path),
    };
}

sub page {
    my ($suite, $path) = @_;
    my $page = $path =~ s/[.]json\z/.html/r;
    return if !$suite->{option}{html} || $page eq $path || !-f $page;
    my $to = $suite->{option}{to};
    return File::Spec->abs2rel($page, defined $to ? dirname(File::Spec->rel2abs($to)) : undef);
}

# Scores of a posted report that its results contradict: then a number of it is wrong
sub misprinted {
    my ($suite, $run, $name) = @_;
    my $blocks = blocks($run, printed_score_by($suite->{catalog}, $run));
    return
        map { visible_lines("$name: " . SpawnMeter::Report::Text::misprint($_)) }
        misprints($run, $blocks);
}

# ---- equal runs ----
#
# Stored runs that show how much equal ones differ here: those of the newest ./Run noise (or aa of
# 0.5) of one of the machines.
#
#   equals_of(suite, machines) -> ([[machines]] or [], a group of equal runs, and its name)

sub equals_of {
    my ($suite, @machines) = @_;
    my ($name, @noise) = newest_noise($suite, @machines);
    return @noise > 1 ? ([ \@noise ], $name) : [];
}

# -> (label or name, machines); none of what is compared
sub newest_noise {
    my ($suite, @machines) = @_;
    my %compared = map { $_->{name} => 1 } @machines;
    my ($label, @equal);
    for my $noise (@{ noise_of_folder($suite) }) {
        my $of = defined $noise->{run}{label} ? $noise->{run}{label} : $noise->{name};
        next if defined $label && $of ne $label || $compared{ $noise->{name} };
        next if !grep { same_machine($noise, $_) } @machines;
        $label = $of;
        $noise->{runs} ||= equal_runs(SpawnMeter::Store::RunFile::load($noise->{path}), $of);
        push @equal, @{ $noise->{runs} };
    }
    return ($label, @equal);
}

# The newest first.  They are read once for all pairs of a comparison
sub noise_of_folder {
    my ($suite) = @_;
    return $suite->{noise} ||= [
        map {
            my $run = eval { SpawnMeter::Store::RunFile::load($_) };
            $run && $run->{complete}
                ? { name => name_of($_), path => $_, run => { %{$run}, passes => [] } }
                : ();
        } SpawnMeter::Store::Find::newest($suite->{results}, 'equals')
    ];
}

sub name_of { my ($file) = @_; return $file =~ m{([^/]+)[.]json\z} ? $1 : $file }

1;
