# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Compare;

# ./Run compare: reads the runs that are named, compares each with the first, or the runs before
# -- with those after it, and prints the comparison.  A label stands for all runs that have it;
# of one label alone it prints how much its runs differ.
#
#   run(suite) -> exit status: 0; 1 if a run of a folder or a label could not be read; with
#       --fail-if-slower 1 if a test is slower by at least so much, and otherwise 3 if one may be; 2
#       if something could not be read or compared

use strict;
use warnings;
use Cwd                               qw(abs_path);
use SpawnMeter::Analysis::Comparison  qw(compare equal_runs match_each_cpu reduce);
use SpawnMeter::Analysis::Fingerprint qw(anonymous anonymous_groups differing_facts names
    same_machine);
use SpawnMeter::Analysis::Ranking  qw(ranking scores);
use SpawnMeter::Analysis::Results  qw(grouped);
use SpawnMeter::Command::Output    qw(spread_text print_report report_ab status_of write_or_print);
use SpawnMeter::Command::Selection qw(misprinted read_file score_by stored_run);
use SpawnMeter::Report::Differences;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File     qw(encode);
use SpawnMeter::Util::Format   qw(visible_lines);
use SpawnMeter::Util::Terminal qw(columns);

# Compares the runs as they are: what --anonymous leaves out is needed for that.
sub comparison_of {
    my ($suite, @groups) = @_;
    my ($first, @others) = @groups;
    my ($option, $is_anonymous) = ($suite->{option}, $suite->{option}{anonymous});
    my %options = (paired => $option->{paired}, rates => @others > 1 && !$option->{json});
    match_each_cpu(map { @{$_} } @groups) if !$option->{copies};
    my @stored = $options{paired} ? () : noise_of_folder($suite->{results}, map { @{$_} } @groups);
    my (@pairs, %equals);
    for my $other (@others) {
        my ($name, @noise) = newest_noise(\@stored, @{$first}, @{$other});
        $equals{$name} = 1 if @noise > 1;
        my $pair = compare($first, $other, %options, equals => \@noise);
        push @pairs, { %{$pair}, is_busy => $option->{busy} };
    }
    my @runs = map { scalar shown($_) } $is_anonymous ? anonymous_groups(@groups) : @groups;
    my @names = names(\@runs);
    $_->{called} = shift @names for @runs;
    my %comparison = (
        runs        => \@runs,
        pairs       => \@pairs,
        width       => !defined $option->{to} && -t STDOUT ? columns(\*STDOUT) : undef,
        verbose     => $option->{verbose},
        differences => [ map { scalar differing_facts($runs[0], $_) } @runs[ 1 .. $#runs ] ],
        equals      => [ $is_anonymous && %equals ? 'other runs' : sort keys %equals ],
    );
    $comparison{ranking} = ranking(\%comparison) if @others > 1;
    return \%comparison;
}

# -> a group as one run: with the facts that all its runs have, and the start of the first one
sub shown {
    my ($group) = @_;
    my ($first, @more) = @{$group};
    return $first if !@more;
    my $label = $first->{head}{label};
    my $same = defined $label && !grep { ($_->{head}{label} || q{}) ne $label } @more;
    my $head = common(map { $_->{head} } @{$group});
    return {
        %{$first},
        name    => $same ? $label : "$first->{name} to $more[-1]{name}",
        head    => { %{$head}, label => undef, started => $first->{head}{started} },
        members => $group,
    };
}

sub common {
    my (@parts) = @_;
    my %common;
    for my $key (keys %{ $parts[0] }) {
        my @values = map { $_->{$key} } @parts;
        my %different = map { encode([$_]) => 1 } @values;
        if (!grep { ref ne 'HASH' } @values) {
            $common{$key} = common(@values);
        } elsif (keys %different == 1) {
            $common{$key} = $values[0];
        }
    }
    return \%common;
}

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    my @second = @{ $option->{target_arguments} };
    die 'compare: ', @second ? 'none of the runs is before --' : 'needs two runs, got none',
        "; name files, folders, latest, latest~1, or - for standard input\n"
        if !@names;
    my ($late) = grep { /^--\w/ } @second;
    die "compare: $late: options stand before --; what follows it are runs\n" if defined $late;

    # an A/B run alone is compared by the pairs of its passes
    my @alone =
        @names == 1 && $names[0] ne q{-} ? SpawnMeter::Store::Find::files($suite, $names[0]) : ();
    if (@alone == 1 && SpawnMeter::Store::Find::kind($alone[0]) eq 'ab') {
        my ($other) = grep { $option->{$_} } qw(html copies paired);
        die "compare: --$other is not for an A/B run alone; --markdown, --csv and --json print "
            . "it, and ./Run show --html its page\n"
            if defined $other;
        my $ab = SpawnMeter::Store::RunFile::load($alone[0]);
        return report_ab($suite, $option->{anonymous} ? anonymous($ab) : $ab);
    }
    score_by($suite);    # dies where there is no such baseline
    my ($left_out, @groups) = gather($suite, \@names, @second ? \@second : ());
    return of_one_group($suite, \@names, @groups) || $left_out if @groups < 2;
    my %size = map { scalar @{$_} => 1 } @groups;
    die "--paired: each side needs the same number of runs, at least 2\n"
        if $option->{paired} && (keys %size > 1 || $size{1});
    my $comparison = report($suite, @groups) or return 2;
    return $left_out if !defined $option->{'fail-if-slower'};
    my @rows = SpawnMeter::Report::Differences::rows($comparison);
    my $status = status_of($option->{'fail-if-slower'},
        map { { %{$_}, name => @groups > 2 ? $_->{to} : undef } } @rows);
    return $status || 2 * $left_out;
}

# Prints how much the runs of one group differ.
sub of_one_group {
    my ($suite, $names, $group) = @_;
    my @runs = @{ $group || [] };
    my $first = $names->[0] eq 'latest' ? 'latest~1 latest' : "$names->[0] latest";
    my $hint = @{$names} > 1 ? 'name another one' : "to compare two: ./Run compare $first";
    my $got = @runs ? 'one' : 'none';
    die "compare: needs two runs, got $got: @{$names}; $hint\n" if @runs < 2;
    my ($given) = grep { $suite->{option}{$_} } qw(markdown csv json fail-if-slower paired);
    die "compare: --$given needs two groups, got one\n" if defined $given;
    my ($text, $rows) = spread_text($suite, $runs[-1]{head}, @runs);
    print_report($suite, $text);
    return $rows ? 0 : 2;
}

# -> the comparison that is printed, or undef where it has no rows
sub report {
    my ($suite, @groups) = @_;
    my $option = $suite->{option};
    my $comparison = comparison_of($suite, @groups);
    my $form = (grep { $option->{$_} } qw(markdown csv json html brief))[0] || 'text';
    my $whole = ($suite->{command} // q{}) =~ s/ (?:-b|--brief)(?= |\z)//r;
    my $text = rendered($comparison, $form, $whole);
    $form =~ /^(?:text|brief)\z/
        ? print_report($suite, $text)
        : write_or_print($option->{to}, $text);
    return $comparison if grep { @{ $_->{rows} } } @{ $comparison->{pairs} };
    print {*STDERR}
        'Run: the runs have no test at the same number of copies in common; -c N takes '
        . "results that do not state it for those of N copies\n";
    return;
}

my %MODULE = (html => 'HTML::Pair', csv => 'Differences', json => 'Differences');

# -> the comparison in this form; whole: the command line that prints all of it
sub rendered {
    my ($comparison, $form, $whole) = @_;
    my $module = $MODULE{$form} || 'Verdicts';
    my $name = $form =~ /^(?:text|html)\z/ ? 'render' : $form;
    require('SpawnMeter/Report/' . $module =~ s{::}{/}r . '.pm');
    return "SpawnMeter::Report::$module"->can($name)->($comparison, $whole);
}

# ---- runs ----
#
#   gather(suite, [names], [names of the second group] or nothing) -> (1 where a run of a folder or
#       label could not be read, or 0; [runs], ...), which are groups: those before and after --, or
#       without it the runs of each label or heading of a post, and each other run by itself.  Runs
#       of Analysis::Comparison, which also have scores => [scores of Analysis::Ranking].  Each file
#       counts once, also where several names stand for it (its text, its page).  What cannot be
#       read is reported; dies with the first file that is named by itself.  Of a folder only runs
#       and posted reports count

sub gather {
    my ($suite, @sides) = @_;
    my ($copies) = @{ $suite->{option}{copies} || [] };
    die "compare: --copies takes one number, got '$copies'\n"
        if defined $copies && $copies !~ /^\d+\z/a;
    my ($left_out, %side_of, @runs) = 0;
    for my $side (0 .. $#sides) {
        for my $file (map { named($suite, $_) } @{ $sides[$side] }) {
            my $key = abs_path($file->{path}) || $file->{path};
            die "compare: $file->{name} is on both sides, and each run counts once\n"
                if ($side_of{$key} // $side) != $side;
            next if defined $side_of{$key};
            $side_of{$key} = $side;
            $file->{group} = $side if @sides > 1;
            my $own = runs_of($suite, $file);
            $left_out = 1 if !$own;
            push @runs, @{ $own || [] };
        }
    }
    my %times;
    $times{ $_->{name} }++ for @runs;
    $_->{name} = $_->{longer} for grep { $times{ $_->{name} } > 1 } @runs;
    $_->{group} //= "$_" for @runs;
    return $left_out, map { my (undef, @own) = @{$_}; \@own } grouped(group => @runs);
}

# -> the files of a name: { name, path, of_several, group => the name, if it is a label }
sub named {
    my ($suite, $name) = @_;
    my @paths = SpawnMeter::Store::Find::files($suite, $name);
    my %each = (name => $name, of_several => @paths > 1);
    if ($name ne q{-} && -d $name) {
        my $others = qr/^(?:ab|equals|kernels|sweep)\z/;
        @paths = grep { SpawnMeter::Store::Find::kind($_) !~ $others } @paths;
    } elsif (@paths > 1) {
        $each{group} = "name $name";
    }
    return map { { %each, path => $_ } } @paths;
}

# -> [run], or undef where it cannot be read.  What is wrong with it is reported
sub runs_of {
    my ($suite, $file) = @_;
    my $path = $file->{path};
    my ($stored) = read_file($suite, $path, !$file->{of_several}) or return;
    die "$path: a sweep, an A/B run or instructions in kernels, which ./Run show prints\n"
        if grep { $_->{sweep} || ($_->{kind} || q{}) =~ /^(?:ab|kernels)\z/ } @{$stored};
    my ($longer, $short) = $path =~ m{((?:[^/]+/)?([^/]+?))(?:[.]json|[.]samples)?\z};
    my @runs;
    for my $run (@{$stored}) {
        my $number = @{$stored} > 1 ? q{#} . (@runs + 1) : q{};
        my $name = "$short$number";
        my $reduced = reduce($run, $name, @{ $suite->{option}{copies} || [] }[0]);
        $reduced->{score_by} = score_by($suite, $run);
        my $group = length($run->{label} // q{}) ? "label $run->{label} of $path" : undef;
        my %more = (longer => "$longer$number", group => $file->{group} // $group);
        push @runs, { %{$reduced}, %more, scores => scores($reduced) };

        # a score of a posted report that its results contradict: one of its numbers is wrong
        my @wrong = map { SpawnMeter::Report::Text::misprint($_) } misprinted($suite, $run);
        print {*STDERR} map { visible_lines("$name: $_") } @wrong;
    }
    return \@runs;
}

# ---- equal runs ----
#
# -> (label or name, runs) of the newest ./Run noise (or aa of 0.5) of one of the machines, which
# shows how much equal runs differ there; none of the runs that are compared

sub newest_noise {
    my ($stored, @runs) = @_;
    my %compared = map { $_->{name} => 1 } @runs;
    my @own = grep {
        my $noise = $_;
        !$compared{ $noise->{stored_as} } && grep { same_machine($noise, $_) } @runs
    } @{$stored} or return;
    return ($own[0]{label}, grep { $_->{label} eq $own[0]{label} } @own);
}

# -> the reduced runs of each stored ./Run noise of the machines of these runs, the newest first,
# which also have stored_as => name of the file, label.  Results beside other work are left out
sub noise_of_folder {
    my ($folder, @runs) = @_;
    my @noise;
    for my $path (SpawnMeter::Store::Find::newest($folder, 'equals')) {
        my $run = stored_run($path);
        next if !$run || !$run->{complete} || !grep { same_machine({ head => $run }, $_) } @runs;
        my ($name) = $path =~ m{([^/]+)[.]json\z};
        my $label = $run->{label} // $name;
        for my $equal (@{ equal_runs($run, $label) }) {
            my $cells = $equal->{cells};
            delete @{$cells}{ grep { defined $cells->{$_}{busy} } keys %{$cells} };
            push @noise, { %{$equal}, stored_as => $name, label => $label };
        }
    }
    return @noise;
}

1;
