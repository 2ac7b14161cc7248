# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options;

# The command line.  The parser, the checks and a test that compares the options with the manual
# follow from SpawnMeter::Options::Table.
#
#   parse(arguments) -> { option => value, copies => [texts like 4, 1-8 or cpus], names =>
#       [verb and names, or names], pass_on => [options for the test programs],
#       target_arguments => [what follows --], a and b => [options for the test programs that
#       follow --a and --b] }; dies with a message
#   removed() -> what older versions took, as it was typed

use strict;
use warnings;
use File::Spec                   ();
use Getopt::Long                 ();
use SpawnMeter::Options::Table   qw(check_value for_programs is_placement names option);
use SpawnMeter::Options::Verbs   qw(check_verb dashed);
use SpawnMeter::Util::DidYouMean qw(nearest);

# What older versions took, as it was typed, and what to use instead
my %REMOVED = (
    '--beside'   => './Run show prints the report of Windows, and linux-windows-2012 that of 2012',
    '--check'    => './Run published ./NAME.txt checks a file before it measures',
    '--limits'   => 'ulimit -u and ./Run doctor tell how many processes are possible',
    '--history'  => 'Bencher and others find changes in the runs that ./Run export writes',
    '--faulting' => 'nothing replaces it, and version 0.5 has it',
    '--shared'   => '--dontfork keeps fork from copying the heap, too',
    '--swapped'  => 'nothing replaces it, and version 0.5 has it',
    'export lkp' => 'LKP reads the report that ./Run show prints',
    'export sql' => 'SQLite and DuckDB read the table of ./Run show --tidy',
);

sub removed { return sort keys %REMOVED }

sub parse {
    my (@arguments) = @_;
    my $target_arguments = cut_at_double_dash(\@arguments);
    give_pin_a_value(\@arguments);
    my %side = cut_sides(\@arguments);
    my ($option, @names) = read_options(@arguments);
    refuse_removed("@names");
    $option->{$_} = of_side($_, $option, @{ $side{$_} }) for sort keys %side;
    check_value($_, $option->{$_}) for sort keys %{$option};
    check_together($option);

    if (!$option->{help} && !$option->{version}) {
        check_verb($option, $target_arguments, @names);
    }
    check_classic($option) if $option->{classic};    # of those that take it
    $option->{names} = \@names;
    $option->{pass_on} = [ pass_on($option) ];
    $option->{target_arguments} = $target_arguments;
    return $option;
}

sub refuse_removed {
    my ($line) = @_;
    my ($typed) = grep { $line =~ /\A\Q$_\E(?: |\z)/ } removed();
    die "$typed was removed in version 1.0; $REMOVED{$typed}\n" if defined $typed;
    return;
}

# What follows a lone -- is for the target that the exec tests run
sub cut_at_double_dash {
    my ($arguments) = @_;
    for my $i (0 .. $#{$arguments}) {
        next if $arguments->[$i] ne q{--};
        my (undef, @rest) = splice @{$arguments}, $i;
        return \@rest;
    }
    return [];
}

# --pin alone, or before anything that is no placement, such as the name of a test
sub give_pin_a_value {
    my ($arguments) = @_;
    for my $i (reverse 0 .. $#{$arguments}) {
        next if $arguments->[$i] ne '--pin';
        my $next = $arguments->[ $i + 1 ];
        my $has_value = defined $next && is_placement($next);
        splice @{$arguments}, $i, $has_value ? 2 : 1, '--pin=' . ($has_value ? $next : 'usable');
    }
    return;
}

# What follows --a and --b, as far as it is options for the test programs: { a => [arguments] }
sub cut_sides {
    my ($arguments) = @_;
    my %programs = map { $_ => option($_)->{form} =~ /=/ ? 1 : 0 } for_programs();
    my (%side, @others, $side);
    while (@{$arguments}) {
        my $argument = shift @{$arguments};
        if ($argument =~ /^--([ab])\z/) {
            $side = $1;
            $side{$side} ||= [];
            next;
        }
        my ($name, $value) = $argument =~ /^--([\w-]+)(=.*)?\z/s;
        $side = undef if !defined $name || !exists $programs{$name};
        my $place = defined $side ? $side{$side} : \@others;
        push @{$place}, $argument;
        push @{$place}, shift @{$arguments}
            if defined $side && $programs{$name} && !defined $value && @{$arguments};
    }
    @{$arguments} = @others;
    return %side;
}

# -> [what the programs of a side are given besides what both are]
sub of_side {
    my ($side, $both, @arguments) = @_;
    my ($option, @names) = read_options(@arguments);
    die "--$side: '$names[0]' is not an option\n" if @names;
    check_value($_, $option->{$_}) for sort keys %{$option};
    check_together({ %{$both}, %{$option} });
    return [ pass_on($option) ];
}

# -> ({ option => value }, the other arguments)
sub read_options {
    my (@arguments) = @_;
    my $parser =
        Getopt::Long::Parser->new(config => [qw(bundling no_auto_abbrev no_ignore_case permute)]);
    my (%given, @complaints);
    local $SIG{__WARN__} = sub { push @complaints, $_[0] };
    local @ARGV = @arguments;
    my $good = $parser->getoptions(\%given, map { option($_)->{form} || () } names());
    die complaint($complaints[0], @arguments) if !$good;
    my %option;

    for my $name (grep { option($_)->{form} } names()) {

        # Getopt::Long stores a value under the first name of the form
        my ($first) = option($name)->{form} =~ /^([\w-]+)/;
        $option{$name} = $given{$first} if defined $given{$first};
    }
    return (\%option, @ARGV);
}

# Getopt::Long's message in the words of this program
sub complaint {
    my ($text, @arguments) = @_;
    if (my ($name) = $text =~ /^Unknown option: (\S+)/) {
        my $dashes = grep({ /^--\Q$name\E(?:=|\z)/ } @arguments) ? q{--} : q{-};
        refuse_removed("$dashes$name");
        my $near = nearest($name, names());
        my $hint = defined $near ? "did you mean '--$near'?" : './Run --help lists the options';
        return "unknown option '$dashes$name'; $hint\n";
    }
    return "option '" . dashed($1) . "' needs a value\n"
        if $text =~ /^Option (\S+) requires an argument/;
    return "option '" . dashed($1) . "' takes no value\n"
        if $text =~ /^Option (\S+) does not take an argument/;
    return lcfirst $text;
}

sub path_of_mix {
    my ($path) = @_;
    my $absolute = File::Spec->rel2abs($path);
    die "--mix: blanks, + and ; part words, and are in $absolute; link to it from another folder\n"
        if $absolute =~ /[ +;]/;
    return $absolute;
}

# The options for the test programs, as these take them
sub pass_on {
    my ($option) = @_;
    my @list;
    for my $name (grep { defined $option->{$_} } for_programs()) {
        my $value = $option->{$name};

        # the programs run in another folder
        $value = File::Spec->rel2abs($value) if $name eq 'exec' && $value =~ m{/};
        $value =~ s{(?:^|;)[ +]*\K([^ +;]*/[^ +;]*)}{path_of_mix($1)}ge if $name eq 'mix';
        push @list, "--$name", option($name)->{form} =~ /=/ ? $value : ();
    }
    return @list;
}

# ---- together ----
#
# Options that exclude or need each other.
#
#   check_together({ option => value }): dies where these options cannot be given together
#   check_classic({ option => value }): likewise with --classic, of a verb that takes it

sub check_together {
    my ($option) = @_;
    for my $exclusive ([qw(classic settle quick)], [qw(markdown csv json html tidy)]) {
        my @given = grep { $option->{$_} } @{$exclusive};
        die "--$given[0] and --$given[1]: give only one of them\n" if @given > 1;
    }
    die "--repeat: give --label, too; by it ./Run compare finds the runs\n"
        if defined $option->{repeat} && !defined $option->{label};
    check_spawners($option) if ($option->{spawners} || 1) > 1;
    check_turns($option) if defined $option->{turns};
    die "--own-target and --targets exclude each other\n"
        if $option->{'own-target'} && $option->{targets};
    my ($other) = grep { $option->{$_} } qw(exec targets own-target exec-path phases);
    $other = 'by' if !defined $other && ($option->{by} || q{}) =~ /^(?:execve|execveat|fexecve)\z/;
    die "--mix and --$other exclude each other\n" if defined $option->{mix} && defined $other;
    check_heap($option);
    return;
}

sub check_heap {
    my ($option) = @_;
    return if defined $option->{heap};
    die "--hugepages needs --heap or --touch\n"
        if $option->{hugepages} && !defined $option->{touch};
    die "--dontfork needs --heap\n" if $option->{dontfork};
    return;
}

# One program waits while the other runs, with all its threads; a state is set for whole passes
sub check_turns {
    my ($option) = @_;
    my ($other) = grep { $option->{$_} } qw(steadied set-a set-b stop-a stop-b);
    $other = 'spawners' if ($option->{spawners} || 1) > 1;
    die "--turns and --$other exclude each other\n" if defined $other;
    die "--turns measures one copy of each side: leave out --copies, or give --copies 1\n"
        if grep { $_ ne '1' } @{ $option->{copies} || [] };
    return;
}

sub check_classic {
    my ($option) = @_;
    my ($own) = grep { defined $option->{$_} } qw(slice max-time precision);
    die "--classic and --$own exclude each other: it makes the passes of the classic suite\n"
        if defined $own;
    return;
}

sub check_spawners {
    my ($option) = @_;
    my ($other) = grep { defined $option->{$_} && $option->{$_} ne '1' } qw(burst touch pin);
    return if !defined $other && !($option->{count} && $option->{count} < $option->{spawners});
    die "--count: at least 1 for each of the $option->{spawners} threads of --spawners\n"
        if !defined $other;
    die '--spawners and --pin exclude each other: a copy is pinned with all its threads to one'
        . " CPU\n"
        if $other eq 'pin';
    die "--spawners and --$other exclude each other\n";
}

1;
